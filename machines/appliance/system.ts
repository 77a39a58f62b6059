import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** The device as a whole: what does not run, how full its memory is, and the way back to the factory's state. */
export interface Failure {
  component: string;
  error: string;
}

export type SystemCommand = { type: "RESET"; id: string };

export type SystemEvent =
  | SystemCommand
  | { type: "RESET_PREPARED" }
  | { type: "PREPARATION_FAILED"; refusal: Refusal }
  | { type: "ENTRIES_COUNTED"; used: number }
  | { type: "FAILURES_CHANGED"; failures: readonly Failure[] };

export type SystemReplies = { RESET: SystemView };

type Emitted = { type: "settled"; id: string } | { type: "failed"; id: string; refusal: Refusal };

interface SystemContext {
  used: number;
  failures: readonly Failure[];
  asker: string;
}

/** What the store is laid out for; a device that comes near it has a fault. */
const capacity = 65_536;

export const systemMachine = setup({
  types: { context: {} as SystemContext, events: {} as SystemEvent, emitted: {} as Emitted },
  actions: {
    prepareReset: () => {}, // effect: notes on disk that everything is to be cleared
    leave: () => {}, // effect: stops the service, which comes back cleared
    rememberAsker: assign({ asker: ({ event }) => (event.type === "RESET" ? event.id : "") }),
    count: assign({
      used: ({ context, event }) => (event.type === "ENTRIES_COUNTED" ? event.used : context.used),
    }),
    noteFailures: assign({
      failures: ({ context, event }) =>
        event.type === "FAILURES_CHANGED" ? event.failures : context.failures,
    }),
  },
}).createMachine({
  id: "system",
  context: { used: 0, failures: [], asker: "" },
  initial: "running",
  on: { ENTRIES_COUNTED: { actions: "count" }, FAILURES_CHANGED: { actions: "noteFailures" } },
  states: {
    running: { on: { RESET: { target: "preparing", actions: "rememberAsker" } } },
    preparing: {
      entry: "prepareReset",
      on: {
        RESET_PREPARED: {
          target: "leaving",
          actions: emit(({ context }) => ({ type: "settled", id: context.asker })),
        },
        PREPARATION_FAILED: {
          target: "running",
          actions: emit(({ context, event }) => ({
            type: "failed",
            id: context.asker,
            refusal: event.refusal,
          })),
        },
      },
    },
    leaving: { entry: "leave" },
  },
});

type SystemSnapshot = SnapshotFrom<typeof systemMachine>;

export interface SystemView {
  nvs: { used: number; free: number; total: number };
  boot_failures: readonly Failure[];
}

export function viewOfSystem({ context }: SystemSnapshot): SystemView {
  const { used, failures } = context;
  return { nvs: { used, free: Math.max(0, capacity - used), total: capacity }, boot_failures: failures };
}

export function refusalOfSystem(snapshot: SystemSnapshot): Refusal | null {
  return snapshot.value === "running" ? null : { code: "conflict", message: "a factory reset is under way" };
}
