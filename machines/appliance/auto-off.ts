import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import { type AwakeReason, endsSleep, forbidsSleep } from "./auto-off-reasons.ts";

/** Sleep after idle minutes, or now; minutes run on the monotonic clock, so a set clock does not trigger it. */
export type PowerCommand =
  | { type: "SLEEP"; id: string }
  /** A person did something: the count starts again, a sleeping device wakes. */
  | { type: "TOUCH" };

export type AutoOffEvent =
  | PowerCommand
  | { type: "MINUTES_SET"; minutes: number }
  | { type: "REASONS_CHANGED"; reasons: readonly AwakeReason[] }
  | { type: "QUIETED" }
  | { type: "SLEEP_FAILED"; refusal: Refusal }
  | { type: "WOKE"; by: WokenBy };

type WokenBy = "due" | "touch" | "button";

export interface PowerView {
  state: "awake" | "sleeping";
  auto_off_minutes: number;
  /** Until auto-off; null while it does not count. */
  remaining_minutes: number | null;
  awake_by: readonly AwakeReason[];
  woken_by: WokenBy | null;
  error: string;
}

export type PowerReplies = { SLEEP: PowerView };

interface AutoOffContext {
  minutes: number;
  remaining: number;
  reasons: readonly AwakeReason[];
  asker: string | null;
  wokenBy: WokenBy | null;
  error: string;
}

type Emitted =
  | { type: "settled"; id: string; reply: PowerView }
  | { type: "failed"; id: string; refusal: Refusal };

export const autoOffMachine = setup({
  types: {
    context: {} as AutoOffContext,
    input: {} as { minutes: number },
    events: {} as AutoOffEvent,
    emitted: {} as Emitted,
  },
  guards: {
    isOff: ({ context }) => context.minutes === 0,
    isKept: ({ context }) => context.reasons.length > 0,
    isLastMinute: ({ context }) => context.remaining <= 1,
    isForbidden: ({ context }) => forbidsSleep(context.reasons),
    isRoused: ({ event }) => event.type === "REASONS_CHANGED" && endsSleep(event.reasons),
  },
  delays: {
    minute: 60_000,
    /** Long enough for the reply to leave. */
    farewell: 1_000,
  },
  actions: {
    quiet: () => {}, // effect: stop playback, darken the screen
    enterSleep: () => {}, // effect
    leaveSleep: () => {}, // effect: the stand-in wakes when it is touched
    brighten: () => {}, // effect
    setMinutes: assign({
      minutes: ({ context, event }) => (event.type === "MINUTES_SET" ? event.minutes : context.minutes),
    }),
    setReasons: assign({
      reasons: ({ context, event }) => (event.type === "REASONS_CHANGED" ? event.reasons : context.reasons),
    }),
    startCount: assign({ remaining: ({ context }) => context.minutes }),
    countDown: assign({ remaining: ({ context }) => context.remaining - 1 }),
    keepAsker: assign({ asker: ({ event }) => (event.type === "SLEEP" ? event.id : null) }),
    noteWake: assign({
      wokenBy: ({ context, event }) => (event.type === "WOKE" ? event.by : context.wokenBy),
    }),
    keepError: assign({
      error: ({ event }) => (event.type === "SLEEP_FAILED" ? event.refusal.message : ""),
    }),
    clearError: assign({ error: "" }),
    settle: emit(({ context }) => ({
      type: "settled",
      id: context.asker ?? "",
      reply: viewIn(context, "sleeping"),
    })),
    refuse: emit(({ context, event }) => ({
      type: "failed",
      id: context.asker ?? "",
      refusal: event.type === "SLEEP_FAILED" ? event.refusal : interrupted,
    })),
    answered: assign({ asker: null }),
  },
}).createMachine({
  id: "auto-off",
  context: ({ input }) => ({
    minutes: input.minutes,
    remaining: input.minutes,
    reasons: [],
    asker: null,
    wokenBy: null,
    error: "",
  }),
  initial: "awake",
  on: { MINUTES_SET: { actions: "setMinutes" }, REASONS_CHANGED: { actions: "setReasons" } },
  states: {
    awake: {
      initial: "deciding",
      on: {
        MINUTES_SET: { target: ".deciding", actions: "setMinutes" },
        REASONS_CHANGED: { target: ".deciding", actions: "setReasons" },
        SLEEP: { target: "quieting", actions: ["keepAsker", "clearError"] },
      },
      states: {
        deciding: {
          always: [
            { guard: "isOff", target: "always_on" },
            { guard: "isKept", target: "kept" },
            { target: "counting" },
          ],
        },
        always_on: {},
        kept: {},
        counting: {
          entry: "startCount",
          initial: "minute",
          on: { TOUCH: { target: "counting", reenter: true } },
          states: {
            minute: {
              after: {
                minute: [
                  { guard: "isLastMinute", target: "#auto-off.quieting", actions: "clearError" },
                  { target: "minute", reenter: true, actions: "countDown" },
                ],
              },
            },
          },
        },
      },
    },
    quieting: {
      entry: "quiet",
      on: {
        QUIETED: [
          { guard: "isForbidden", target: "awake", actions: ["refuse", "answered", "brighten"] },
          { target: "drowsy", actions: ["settle", "answered"] },
        ],
        SLEEP_FAILED: { target: "awake", actions: ["refuse", "answered", "keepError", "brighten"] },
      },
    },
    // Something that begins in this second calls the sleep off.
    drowsy: {
      after: { farewell: "asleep" },
      on: {
        TOUCH: { target: "awake", actions: "brighten" },
        REASONS_CHANGED: [
          { guard: "isRoused", target: "awake", actions: ["setReasons", "brighten"] },
          { actions: "setReasons" },
        ],
      },
    },
    asleep: {
      entry: "enterSleep",
      on: {
        WOKE: { target: "awake", actions: ["noteWake", "brighten"] },
        SLEEP_FAILED: { target: "awake", actions: ["keepError", "brighten"] },
        TOUCH: { actions: "leaveSleep" },
        REASONS_CHANGED: [
          { guard: "isRoused", actions: ["setReasons", "leaveSleep"] },
          { actions: "setReasons" },
        ],
      },
    },
  },
});

type AutoOffSnapshot = SnapshotFrom<typeof autoOffMachine>;

const interrupted: Refusal = { code: "conflict", message: "a firmware update has begun" };

export function viewOfPower(snapshot: AutoOffSnapshot): PowerView {
  const { context } = snapshot;
  const counts = snapshot.matches({ awake: "counting" });
  return {
    ...viewIn(context, snapshot.matches("awake") ? "awake" : "sleeping"),
    remaining_minutes: counts ? context.remaining : null,
  };
}

export function refusalOfPower(snapshot: AutoOffSnapshot, command: PowerCommand): Refusal | null {
  if (command.type === "TOUCH") return null;
  if (forbidsSleep(snapshot.context.reasons))
    return { code: "conflict", message: "a firmware update is running" };
  if (!snapshot.matches("awake"))
    return { code: "conflict", message: "the device is going to sleep already" };
  return null;
}

function viewIn(context: AutoOffContext, state: PowerView["state"]): PowerView {
  return {
    state,
    auto_off_minutes: context.minutes,
    remaining_minutes: null,
    awake_by: context.reasons,
    woken_by: context.wokenBy,
    error: context.error,
  };
}
