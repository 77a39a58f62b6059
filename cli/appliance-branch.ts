import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startAudio } from "../actors/appliance/audio.ts";
import { startBattery } from "../actors/appliance/battery.ts";
import { startClock } from "../actors/appliance/clock.ts";
import { startDisplay } from "../actors/appliance/display.ts";
import { startFavorites } from "../actors/appliance/favorites.ts";
import { startLibrary } from "../actors/appliance/library.ts";
import { startNetwork } from "../actors/appliance/network.ts";
import { nextDueIn } from "../actors/appliance/next-due.ts";
import { startCards, startNfc } from "../actors/appliance/nfc.ts";
import { startOta } from "../actors/appliance/ota.ts";
import { startPlayback } from "../actors/appliance/playback.ts";
import { startPower } from "../actors/appliance/power.ts";
import { startPrayer } from "../actors/appliance/prayer.ts";
import { startScheduler } from "../actors/appliance/scheduler.ts";
import { startSettings } from "../actors/appliance/settings.ts";
import { startStations } from "../actors/appliance/stations.ts";
import { startSystem } from "../actors/appliance/system.ts";
import { startResource } from "../actors/resource.ts";
import { startStore } from "../actors/store.ts";
import type { ChildSpec } from "../actors/supervisor-spec.ts";
import { ownCertificate } from "../drivers/certificate/certificate.ts";
import type { Mdns } from "../drivers/mdns/mdns.ts";
import { chooseMdns } from "../drivers/mdns/open-mdns.ts";
import { rehearseBoot } from "../drivers/ota/boot.ts";
import { readOrMakeToken, tokenWasShown, writeSecret } from "../drivers/token/token-file.ts";
import { openAppliance } from "../gateway/appliance/service.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { openParts } from "./appliance-parts.ts";
import { type Branch, measureStore, type Surroundings } from "./branch.ts";

const pages = join(import.meta.dirname, "../gateway/dashboard/dist/appliance");
const resetMark = "reset.pending";
const keptAtReset = new Set(["slots", "ota.pub"]);

/** The appliance as a branch of the tree, from top to bottom as it boots. */
export async function applianceBranch(around: Surroundings): Promise<Branch> {
  const { config, log, metrics } = around;
  const { home, listen, card } = config.appliance;
  finishReset(home, card);
  const tokenFile = join(home, "token");
  const token = readOrMakeToken(tokenFile);
  let gateway: Gateway | undefined;
  let mdns: Mdns | undefined;
  const ownPorts = () => (gateway?.urls ?? []).map((url) => Number(new URL(url).port));
  const parts = await openParts(config, ownPorts);
  const { store, now, checkUrl } = parts;
  measureStore(metrics, "appliance", store);

  const essential = { restart: "permanent", essential: true } as const;
  const optional = { restart: "permanent" } as const;
  const children: ChildSpec[] = [
    { id: "store", start: startStore(store), ...essential },
    { id: "settings", start: startSettings(store), ...essential },
    { id: "clock", start: startClock(parts.clock), ...essential },
    { id: "library", start: startLibrary({ card, store, demo: true }), ...optional },
    {
      id: "audio",
      start: startAudio({ port: parts.audioPort, choose: parts.chooseAudio }),
      // A player may die often and come back at once each time.
      backoff: { quietMs: 1_000 },
      ...optional,
    },
    {
      id: "playback",
      start: startPlayback({ port: parts.audioPort, store, card, checkUrl, now }),
      ...essential,
    },
    { id: "favorites", start: startFavorites({ store, checkUrl, now }), ...optional },
    { id: "stations", start: startStations(store, checkUrl), ...optional },
    { id: "cards", start: startCards(store, { card, checkUrl }), ...optional },
    { id: "nfc", start: startNfc({ choose: parts.chooseReader }), ...optional },
    {
      id: "prayer",
      start: startPrayer({ store, clock: parts.clock, card, chime: parts.chime }),
      ...optional,
    },
    { id: "scheduler", start: startScheduler({ store, clock: parts.clock, card, checkUrl }), ...optional },
    { id: "battery", start: startBattery(parts.battery), ...optional },
    {
      id: "network",
      start: startNetwork({
        driver: parts.network,
        hotspot: config.device,
        announce: ({ ssid, password }) => console.log(`\n  hotspot  ${ssid}  password  ${password}`),
      }),
      ...optional,
    },
    {
      id: "ota",
      start: startOta({
        home,
        updater: parts.updater,
        pull: parts.pull,
        reboot: () => (config.device ? parts.power.reboot() : rehearseBoot(home)),
      }),
      ...optional,
    },
    {
      id: "power",
      start: startPower({
        driver: parts.power,
        backlight: parts.backlight,
        presence: parts.presence,
        dueInMs: (tree) => nextDueIn(tree, now()),
      }),
      ...optional,
    },
    { id: "display", start: startDisplay({ driver: parts.display, clock: parts.clock }), ...optional },
    {
      id: "system",
      start: startSystem({
        store,
        failures: () => around.failures("appliance"),
        watchFailures: around.watchFailures,
        prepareReset: async () => writeSecret(join(home, resetMark), ""),
        leave: () => around.rebuild("appliance"),
      }),
      ...optional,
    },
    {
      id: "gateway",
      start: startResource({
        async open({ tree }) {
          gateway = await openAppliance({
            tree,
            token: () => token.token,
            log,
            metrics,
            limits: config.limits,
            pages,
            upgrades: around.upgrades,
            morePages: around.pages,
            presence: parts.presence,
            listeners: listen,
            identity: () => ownCertificate(join(home, "certificate.pem")),
          });
        },
        close: () => gateway?.close(),
      }),
      ...essential,
    },
    {
      id: "mdns",
      start: startResource({
        open: async () => {
          const page = new URL(gateway?.urls[0] ?? "https://localhost");
          const tls = page.protocol === "https:";
          mdns = await chooseMdns(config.appliance.mdns, (error) =>
            log.warn({ err: error }, "minaret.local is not announced"),
          );
          await mdns.open(Number(page.port) || (tls ? 443 : 80), tls);
        },
        close: () => mdns?.close(),
      }),
      ...optional,
    },
  ];
  return {
    spec: { id: "appliance", strategy: "one_for_one", children },
    origins: () => gateway?.urls ?? [],
    lines: () => [
      ["appliance page", (gateway?.urls ?? []).join("  ")],
      ["appliance API", `${gateway?.urls.at(-1) ?? ""}/api`],
    ],
    secrets: () => (token.unseen ? [["device token", token.token]] : []),
    secretsShown: () => tokenWasShown(tokenFile),
  };
}

/** Clears the home of a device that was asked to forget; one that lost its power meanwhile is cleared at the next start. */
function finishReset(home: string, card: string): void {
  if (!existsSync(join(home, resetMark))) return;
  for (const entry of readdirSync(home)) {
    const path = join(home, entry);
    // The mark goes last. Slots hold the release that runs, and its key is how the next one is known.
    const holdsCard = card === path || card.startsWith(`${path}/`);
    if (entry !== resetMark && !keptAtReset.has(entry) && !holdsCard)
      rmSync(path, { recursive: true, force: true });
  }
  rmSync(join(home, resetMark));
}
