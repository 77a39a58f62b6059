/** Clock, playback, prayer and scheduler as they run together, on a clock that the test moves. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SimulatedClock } from "xstate";
import { startAudio } from "../../../actors/appliance/audio.ts";
import { AudioPort } from "../../../actors/appliance/audio-port.ts";
import { type Clock, startClock } from "../../../actors/appliance/clock.ts";
import { applianceCollections } from "../../../actors/appliance/collections.ts";
import { type Playback, startPlayback } from "../../../actors/appliance/playback.ts";
import { type Prayer, startPrayer } from "../../../actors/appliance/prayer.ts";
import { type Scheduler, startScheduler } from "../../../actors/appliance/scheduler.ts";
import { type Settings, startSettings } from "../../../actors/appliance/settings.ts";
import { startStations } from "../../../actors/appliance/stations.ts";
import { startTree } from "../../../actors/tree.ts";
import { SilentAudio } from "../../../drivers/audio/silent.ts";
import type { TimeSource } from "../../../drivers/clock/clock.ts";
import { MemoryClock } from "../../../drivers/clock/memory.ts";
import { scanCard } from "../../../drivers/library/scan.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import { emptyListing } from "../../../machines/appliance/library-listing.ts";
import type { PlaybackNotice } from "../../../machines/appliance/playback-events.ts";
import { DomainError } from "../../../machines/errors.ts";
import { housePolicy } from "../../drivers/audio/hear.ts";
import { standIn } from "./stand-in-child.ts";

export interface TimeRigOptions {
  /** Files of the card by path, with their length in milliseconds. */
  files?: Record<string, number>;
  /** Of an earlier rig, to start again where it left off. */
  home?: string;
  /** Milliseconds since 1970. */
  start: number;
  source?: TimeSource;
}

export async function startTimeRig({ files = {}, home: old, start, source }: TimeRigOptions) {
  const home = old ?? mkdtempSync(join(tmpdir(), "minaret-time-"));
  const card = join(home, "card");
  mkdirSync(card, { recursive: true });
  for (const [path, length] of Object.entries(files)) {
    mkdirSync(join(card, path, ".."), { recursive: true });
    writeFileSync(join(card, path), String(length));
  }
  const chime = join(home, "chime.wav");
  writeFileSync(chime, "6500");
  const timers = new SimulatedClock();
  const clock = new MemoryClock({
    host: () => start + timers.now(),
    monotonic: () => timers.now(),
    ...(source && { source }),
  });
  const store = await openStore(join(home, "store.db"), applianceCollections);
  const listing = (await scanCard(card)) ?? emptyListing;
  const port = new AudioPort();
  const notices: PlaybackNotice[] = [];
  const choose = async () =>
    new SilentAudio({
      policy: housePolicy,
      durationOf: async (path) => Number(await readFile(path, "utf8")),
      timers: {
        now: () => timers.now(),
        after: (ms: number, run: () => void) => {
          const id = timers.setTimeout(run, ms);
          return () => timers.clearTimeout(id);
        },
      },
      reconnectMs: [],
    });
  const checkUrl = async (url: string) => {
    if (url.includes("forbidden")) throw new DomainError("invalid_input", "url is refused", { field: "url" });
    return url;
  };
  const permanent = { restart: "permanent" } as const;
  const playback = startPlayback({
    port,
    store,
    card,
    checkUrl,
    now: () => clock.now(),
    notify: (notice) => notices.push(notice),
    clock: timers,
  });
  const children = [
    { id: "settings", start: startSettings(store), ...permanent },
    { id: "clock", start: startClock(clock), ...permanent },
    standIn("library", { present: true, listing }).spec,
    standIn("favorites", {}).spec,
    { id: "stations", start: startStations(store, async (url) => url), ...permanent },
    { id: "audio", start: startAudio({ port, choose }), ...permanent },
    { id: "playback", start: playback, ...permanent },
    { id: "prayer", start: startPrayer({ store, clock, card, chime, timers }), ...permanent },
    { id: "scheduler", start: startScheduler({ store, clock, card, checkUrl, timers }), ...permanent },
  ];
  const tree = await startTree(
    {
      id: "root",
      strategy: "one_for_one",
      children: [{ id: "appliance", strategy: "one_for_one", children }],
    },
    { log: openLog("silent") },
  );
  const clients = {
    clock: tree.client("appliance/clock") as Clock,
    playback: tree.client("appliance/playback") as Playback,
    prayer: tree.client("appliance/prayer") as Prayer,
    scheduler: tree.client("appliance/scheduler") as Scheduler,
    settings: tree.client("appliance/settings") as Settings,
  };
  return {
    ...clients,
    home,
    store,
    tree,
    clock: clients.clock,
    notices,
    now: () => clock.now(),
    /** In small steps, so that timers find the clock near their own time. */
    advance(ms: number, step = 1_000) {
      for (let left = ms; left > 0; left -= step) timers.increment(Math.min(step, left));
    },
    stop: async (keep = false) => {
      await tree.drain(2_000);
      await store.close();
      if (!keep) rmSync(home, { recursive: true, force: true });
    },
  };
}

export type TimeRig = Awaited<ReturnType<typeof startTimeRig>>;

/** Waits for a view, which may be there already. */
export function until<V>(
  client: { view(): V; watch(listener: (view: V) => void): () => void },
  wanted: (view: V) => boolean,
): Promise<V> {
  const { promise, resolve } = Promise.withResolvers<V>();
  const look = (view: V) => {
    if (wanted(view)) resolve(view);
  };
  const stop = client.watch(look);
  look(client.view());
  return promise.finally(stop);
}
