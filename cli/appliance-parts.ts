import { join } from "node:path";
import { AudioPort } from "../actors/appliance/audio-port.ts";
import { applianceCollections } from "../actors/appliance/collections.ts";
import { Presence } from "../actors/appliance/presence.ts";
import type { Config } from "../config.ts";
import { chooseAudio } from "../drivers/audio/open-audio.ts";
import { chooseBacklight } from "../drivers/backlight/open-backlight.ts";
import { chooseBattery } from "../drivers/battery/open-battery.ts";
import { makeChime } from "../drivers/chime/chime-file.ts";
import { chooseClock } from "../drivers/clock/open-clock.ts";
import { chooseDisplay } from "../drivers/display/open-display.ts";
import { chooseNetwork } from "../drivers/network/open-network.ts";
import { chooseReader } from "../drivers/nfc/open-nfc.ts";
import { runningSlot } from "../drivers/ota/boot.ts";
import { trustedKeys } from "../drivers/ota/container.ts";
import { pullPolicy } from "../drivers/ota/pull.ts";
import { Updater } from "../drivers/ota/updater.ts";
import { choosePower } from "../drivers/power/open-power.ts";
import { openStore } from "../drivers/store/open-store.ts";
import type { GuardPolicy } from "../drivers/stream-guard/address-rules.ts";
import { checkStreamUrl } from "../drivers/stream-guard/check-url.ts";
import manifest from "../package.json" with { type: "json" };
import { storeFile } from "./homes.ts";

/** The board that images are made for; a device of another kind refuses them. */
export const board = "minaret-1";

/** Chooses every part of the world that the appliance touches; opening them is for their actors. */
export async function openParts({ appliance, device }: Config, ownPorts: () => readonly number[]) {
  const { home } = appliance;
  const streams: GuardPolicy = { schemes: ["http:", "https:"], allowPrivate: true, ownPorts };
  const clock = await chooseClock(appliance.clock, device);
  const updater = new Updater({
    home,
    board,
    version: manifest.version,
    running: runningSlot(home, join(import.meta.dirname, "..")),
    keys: () => trustedKeys(appliance.otaKey ?? join(home, "ota.pub")),
  });
  const chime = join(home, "chime.wav");
  await makeChime(chime);
  return {
    chime,
    store: await openStore(join(home, storeFile), applianceCollections, { oneThread: true }),
    clock,
    now: () => Date.now() + clock.offsetMs,
    audioPort: new AudioPort(),
    chooseAudio: () => chooseAudio({ kind: appliance.audio, policy: streams }),
    checkUrl: async (url: string) => (await checkStreamUrl(url, streams)).href,
    chooseReader: () => chooseReader(appliance.nfc, device),
    presence: new Presence(),
    power: await choosePower(appliance.power, device),
    backlight: await chooseBacklight(device),
    display: await chooseDisplay(appliance.display, device),
    battery: await chooseBattery(device),
    network: await chooseNetwork(appliance.network, device),
    updater,
    pull: { policy: pullPolicy(appliance.otaPrivate, ownPorts) },
  };
}
