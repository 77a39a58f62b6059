import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import { configured, type PrayerConfig, type PrayerPatch, refusalOfConfig } from "./prayer-config.ts";
import type { NextPrayer } from "./prayer-next.ts";
import { nextAdhan, type PrayerContext, prayerWaitMs, readPrayer } from "./prayer-outlook.ts";
import type { PrayerView } from "./prayer-view.ts";
import type { Zone } from "./timezone.ts";

/** Waits for the next adhan, has it played over whatever is on, and keeps the configuration. */
export type PrayerCommand =
  | { type: "CONFIGURE"; id: string; patch: PrayerPatch }
  /** The configured adhan, now. */
  | { type: "TEST_ADHAN"; id: string };

export type PrayerEvent =
  | PrayerCommand
  | { type: "CONFIG_STORED"; config: PrayerConfig }
  | { type: "WRITE_FAILED"; refusal: Refusal }
  /** Seconds since 1970; null while the time is not known. */
  | { type: "TIME_READ"; now: number | null }
  /** The clock jumped, or its source changed. */
  | { type: "CLOCK_CHANGED" }
  | { type: "ZONE_SET"; zone: Zone }
  | { type: "ADHAN_STARTED" }
  | { type: "ADHAN_REFUSED"; refusal: Refusal }
  | { type: "ADHAN_ENDED" };

export type PrayerReplies = { CONFIGURE: PrayerConfig; TEST_ADHAN: PrayerView };

export interface PrayerInput {
  config: PrayerConfig;
  zone: Zone;
  /** When the last adhan was due that was called, before the restart. */
  called: number | null;
  /** Seconds since 1970: nothing more than two minutes before is called any more. */
  since: number;
}

/** How the adhan is to be played. */
export interface AdhanCall {
  prayer: NextPrayer["name"] | "test";
  /** When it was due; null for a test. */
  at: number | null;
  path: string;
  volume: number;
}

export const prayerMachine = setup({
  types: {
    context: {} as PrayerContext,
    input: {} as PrayerInput,
    events: {} as PrayerEvent,
    emitted: {} as
      | { type: "settled"; id: string; reply: unknown }
      | { type: "failed"; id: string; refusal: Refusal },
  },
  delays: { untilNext: ({ context }) => prayerWaitMs(context) },
  guards: {
    isDue: ({ context }) => context.due !== null,
    hasChanges: ({ context }) => context.changes.length > 0,
    isHalfLocation: ({ context }) => refusalOfNext(context) !== null,
  },
  actions: {
    readClock: () => {}, // effect
    playAdhan: (_, _params: AdhanCall) => {}, // effect
    storeConfig: (_, _params: { config: PrayerConfig }) => {}, // effect
    noteMissed: (_, _params: { missed: NextPrayer | null }) => {}, // effect: a line in the log
    takeReading: assign(({ context, event }) =>
      event.type === "TIME_READ" ? readPrayer(context, event.now) : {},
    ),
    call: assign({
      sounding: ({ context }) => context.due?.name ?? "test",
      called: ({ context }) => context.due?.at ?? context.called,
    }),
    keepTester: assign(({ event }) => (event.type === "TEST_ADHAN" ? { tester: event.id, due: null } : {})),
    rest: assign({ sounding: null, due: null, tester: null }),
    setZone: assign(({ event }) => (event.type === "ZONE_SET" ? { zone: event.zone } : {})),
    queue: assign(({ context, event }) =>
      event.type === "CONFIGURE"
        ? { changes: [...context.changes, { id: event.id, patch: event.patch }] }
        : {},
    ),
    drop: assign({ changes: ({ context }) => context.changes.slice(1) }),
    // What the new configuration would have called before it was made is not called.
    showConfig: assign(({ event }) =>
      event.type === "CONFIG_STORED" ? { config: event.config, handled: Number.POSITIVE_INFINITY } : {},
    ),
    settleChange: emit(({ context }) => ({
      type: "settled",
      id: context.changes[0]?.id ?? "",
      reply: context.config,
    })),
    refuseChange: emit(({ context, event }) => ({
      type: "failed",
      id: context.changes[0]?.id ?? "",
      refusal: event.type === "WRITE_FAILED" ? event.refusal : (refusalOfNext(context) ?? notStored),
    })),
    settleTest: emit(({ context }) => ({ type: "settled", id: context.tester ?? "", reply: show(context) })),
    refuseTest: emit(({ context, event }) => ({
      type: "failed",
      id: context.tester ?? "",
      refusal: event.type === "ADHAN_REFUSED" ? event.refusal : notStored,
    })),
  },
}).createMachine({
  id: "prayer",
  context: ({ input: { config, zone, called, since } }) => ({
    config,
    zone,
    called,
    now: null,
    handled: since,
    due: null,
    missed: null,
    tester: null,
    sounding: null,
    changes: [],
  }),
  type: "parallel",
  states: {
    keeping: {
      initial: "kept",
      on: { CONFIGURE: { actions: "queue" } },
      states: {
        kept: {
          always: [
            { guard: "isHalfLocation", actions: ["refuseChange", "drop"] },
            { guard: "hasChanges", target: "storing" },
          ],
        },
        storing: {
          entry: { type: "storeConfig", params: ({ context }) => ({ config: nextConfig(context) }) },
          on: {
            CONFIG_STORED: { target: "kept", actions: ["showConfig", "settleChange", "drop"] },
            WRITE_FAILED: { target: "kept", actions: ["refuseChange", "drop"] },
          },
        },
      },
    },
    calling: {
      initial: "reading",
      on: { ZONE_SET: { actions: "setZone" } },
      states: {
        reading: {
          entry: "readClock",
          on: {
            TIME_READ: {
              target: "deciding",
              actions: ["takeReading", { type: "noteMissed", params: ({ context }) => context }],
            },
            TEST_ADHAN: { target: "starting", actions: "keepTester" },
          },
        },
        deciding: { always: [{ guard: "isDue", target: "starting" }, { target: "waiting" }] },
        waiting: {
          after: { untilNext: "reading" },
          on: {
            CLOCK_CHANGED: { target: "reading" },
            ZONE_SET: { target: "reading", actions: "setZone" },
            CONFIG_STORED: { target: "reading" },
            TEST_ADHAN: { target: "starting", actions: "keepTester" },
          },
        },
        starting: {
          entry: ["call", { type: "playAdhan", params: ({ context }) => callOf(context) }],
          on: {
            ADHAN_STARTED: { target: "sounding", actions: "settleTest" },
            ADHAN_REFUSED: { target: "reading", actions: ["refuseTest", "rest"] },
          },
        },
        sounding: { on: { ADHAN_ENDED: { target: "reading", actions: "rest" } } },
      },
    },
  },
});

type PrayerSnapshot = SnapshotFrom<typeof prayerMachine>;

export function viewOfPrayer({ context }: PrayerSnapshot): PrayerView {
  return show(context);
}

export function refusalOfPrayer(snapshot: PrayerSnapshot, command: PrayerCommand): Refusal | null {
  if (command.type !== "TEST_ADHAN") return null;
  const busy = snapshot.context.sounding !== null;
  return busy ? { code: "conflict", message: "an adhan is already playing" } : null;
}

const notStored: Refusal = { code: "internal", message: "the change was not made" };

function show({ config, zone, now, sounding, called }: PrayerContext): PrayerView {
  const sounds = sounding !== null && sounding !== "test";
  const next = now === null ? null : nextAdhan(config, now);
  return { config, zone, next_adhan: next?.at ?? null, called_at: sounds ? called : null, sounding };
}

function nextConfig({ config, changes }: PrayerContext): PrayerConfig {
  return configured(config, changes[0]?.patch ?? {});
}

function refusalOfNext(context: PrayerContext): Refusal | null {
  return context.changes.length > 0 ? refusalOfConfig(nextConfig(context)) : null;
}

function callOf({ due, config }: PrayerContext): AdhanCall {
  const { path, volume } = config.adhan;
  return { prayer: due?.name ?? "test", at: due?.at ?? null, path, volume };
}
