import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** Whether the time is known, from where, and how often it jumped. */
export type TimeSource = "none" | "rtc" | "sntp" | "manual";

/** `epoch` is in seconds since 1970. */
export type ClockCommand = { type: "SET_TIME"; id: string; epoch: number };

/** What the driver shows at the moment of a report. */
export interface ClockReading {
  source: TimeSource;
  offsetMs: number;
  rtcTemperature: number | null;
}

export type ClockEvent =
  | ClockCommand
  | { type: "TIME_SET"; id: string; reading: ClockReading }
  | { type: "SET_FAILED"; id: string; refusal: Refusal }
  | { type: "SOURCE_CHANGED"; reading: ClockReading }
  | { type: "CLOCK_JUMPED"; byMs: number; reading: ClockReading };

export interface ClockView {
  source: TimeSource;
  /** True once the time is known at all. */
  synced: boolean;
  rtc_temperature: number | null;
  /** The appliance's clock less the host's. */
  offset_ms: number;
  /** Grows with every jump, so that whoever waits for a time looks again. */
  jumps: number;
}

export type ClockReplies = { SET_TIME: ClockView };

/** The largest time that the API takes: 1 January 2100. */
const maxEpoch = 4_102_444_800;

type ClockContext = ClockReading & { jumps: number };

export const clockMachine = setup({
  types: {
    context: {} as ClockContext,
    input: {} as ClockReading,
    events: {} as ClockEvent,
    emitted: {} as
      | { type: "settled"; id: string; reply: ClockView }
      | { type: "failed"; id: string; refusal: Refusal },
  },
  guards: { isKnown: ({ context }) => context.source !== "none" },
  actions: {
    setTime: (_, _params: { id: string; epoch: number }) => {}, // effect
    show: assign(({ event }) => ("reading" in event ? event.reading : {})),
    countJump: assign({ jumps: ({ context }) => context.jumps + 1 }),
  },
}).createMachine({
  id: "clock",
  context: ({ input }) => ({ ...input, jumps: 0 }),
  initial: "unknown",
  on: {
    SET_TIME: { actions: { type: "setTime", params: ({ event }) => event } },
    TIME_SET: {
      target: ".known",
      actions: [
        "show",
        emit(({ context, event }) => ({ type: "settled", id: event.id, reply: show(context) })),
      ],
    },
    SET_FAILED: { actions: emit(({ event }) => ({ type: "failed", id: event.id, refusal: event.refusal })) },
    SOURCE_CHANGED: { actions: "show" },
    CLOCK_JUMPED: { actions: ["show", "countJump"] },
  },
  states: {
    unknown: { always: { guard: "isKnown", target: "known" } },
    known: {},
  },
});

type ClockSnapshot = SnapshotFrom<typeof clockMachine>;

export function viewOfClock({ context }: ClockSnapshot): ClockView {
  return show(context);
}

export function refusalOfClock(_: ClockSnapshot, { epoch }: ClockCommand): Refusal | null {
  if (Number.isInteger(epoch) && epoch >= 0 && epoch <= maxEpoch) return null;
  return {
    code: "invalid_input",
    message: `epoch must be a whole number of seconds from 0 to ${maxEpoch}`,
    field: "epoch",
  };
}

/** The appliance's time in seconds since 1970, from the host's in milliseconds; null while it is not known. */
export function epochOf(view: ClockView, hostMs: number): number | null {
  return view.synced ? Math.floor((hostMs + view.offset_ms) / 1000) : null;
}

function show({ source, rtcTemperature, offsetMs, jumps }: ClockContext): ClockView {
  return { source, synced: source !== "none", rtc_temperature: rtcTemperature, offset_ms: offsetMs, jumps };
}
