import { createActor } from "xstate";
import type { ClockDriver } from "../../drivers/clock/clock.ts";
import { resolveOnCard } from "../../drivers/library/card-path.ts";
import type { Store } from "../../drivers/store/store.ts";
import {
  type AdhanCall,
  type PrayerCommand,
  type PrayerReplies,
  prayerMachine,
  refusalOfPrayer,
  viewOfPrayer,
} from "../../machines/appliance/prayer.ts";
import {
  configured,
  defaultPrayerConfig,
  fajrPath,
  type PrayerPatch,
} from "../../machines/appliance/prayer-config.ts";
import type { PrayerView } from "../../machines/appliance/prayer-view.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { steadyClock, type TreeClock } from "../supervisor-spec.ts";
import { tell } from "../tell.ts";
import type { Playback } from "./playback.ts";
import { notStored, put } from "./record-list.ts";
import { onTimeChange, secondsOf, shown, zoneNow } from "./time-of-day.ts";

export type Prayer = Client<PrayerCommand, PrayerView, PrayerReplies>;

export interface PrayerDeps {
  store: Store;
  clock: ClockDriver;
  /** The card's mount. */
  card: string;
  /** The built-in chime, as an absolute path. */
  chime: string;
  timers?: TreeClock;
}

const collection = "settings";
const graceSeconds = 120;

/** Calls to prayer over whatever is on, and hands it back. */
export function startPrayer({ store, clock, card, chime, timers = steadyClock }: PrayerDeps): Start {
  return async ({ inspect, log, tree }) => {
    const playback: Playback = tree.client("appliance/playback");
    const { id: _, version: __, ...kept } = (await store.get(collection, "prayer")) ?? {};
    const config = configured(defaultPrayerConfig, kept as PrayerPatch);
    const last = await store.get(collection, "adhan");
    const called = typeof last?.called === "number" ? last.called : null;
    const now = secondsOf(clock);

    /** The file for this prayer; whether it can be played is for playback to find out. */
    const fileFor = async ({ prayer, path }: AdhanCall): Promise<string | null> => {
      if (path === "") return null;
      if (prayer !== "fajr") return path;
      return resolveOnCard(card, fajrPath(path)).then(
        (file) => file.path,
        () => path,
      );
    };
    const play = async (call: AdhanCall) => {
      const path = await fileFor(call);
      if (path === null) log.warn({ prayer: call.prayer }, "no adhan is configured: the chime serves");
      await playback.ask({ type: "PLAY_ADHAN", path, chime, volume: call.volume });
      if (call.at !== null) note({ id: "adhan", called: call.at });
    };
    const note = (mark: { id: string; called: number }) => {
      put(store, collection, mark).catch((error: unknown) =>
        log.warn({ err: error }, "the last adhan could not be noted"),
      );
    };
    const look = () => {
      if (!ref.getSnapshot().matches({ calling: "sounding" })) return;
      if (shown(playback, ({ adhan }) => adhan !== true)) ref.send({ type: "ADHAN_ENDED" });
    };
    const machine = prayerMachine.provide({
      actions: {
        readClock: () => ref.send({ type: "TIME_READ", now: secondsOf(clock) }),
        playAdhan: (_, call) => {
          play(call).then(
            () => {
              tell(ref, { type: "ADHAN_STARTED" });
              // It may have been stopped before this was heard.
              look();
            },
            (error: unknown) => {
              log.error({ err: error, prayer: call.prayer }, "the adhan could not be played");
              ref.send({
                type: "ADHAN_REFUSED",
                refusal: refusalFrom(error, "the adhan could not be called"),
              });
            },
          );
        },
        storeConfig: (_, change) => {
          const keep = async () => {
            await refuseOutside(card, change.config.adhan.path);
            await put(store, collection, { id: "prayer", ...change.config });
          };
          keep().then(
            () => tell(ref, { type: "CONFIG_STORED", config: change.config }),
            (error: unknown) => tell(ref, { type: "WRITE_FAILED", refusal: refusalFrom(error, notStored) }),
          );
        },
        noteMissed: (_, { missed }) => {
          if (missed) log.warn(missed, "an adhan was skipped: more than two minutes late");
        },
      },
    });
    const input = { config, zone: zoneNow(tree), called, since: now === null ? 0 : now - graceSeconds };
    const ref = createActor(machine, { input, inspect, clock: timers });
    ref.start();
    const endings = [
      playback.watch(look),
      onTimeChange(tree, {
        clockChanged: () => ref.send({ type: "CLOCK_CHANGED" }),
        zoneSet: (zone) => ref.send({ type: "ZONE_SET", zone }),
      }),
    ];
    return {
      ref,
      speech: { refusalOf: refusalOfPrayer, viewOf: viewOfPrayer, waits: ["CONFIGURE", "TEST_ADHAN"] },
      close: () => {
        for (const end of endings) end();
      },
    };
  };
}

/** A file may come later, and until then the chime serves; a path that leaves the card never will do. */
async function refuseOutside(card: string, path: string): Promise<void> {
  if (path === "") return;
  await resolveOnCard(card, path, "adhan.path").catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== "not_found") throw error;
  });
}
