/** Asks the EDR adapter for its inventory, again and again. */
import { assign, type SnapshotFrom, setup } from "xstate";

export type EdrPollerEvent =
  | { type: "POLLED"; endpoints: number; skipped: number; at: string }
  | { type: "POLL_FAILED"; reason: string; at: string };

interface EdrPollerContext {
  adapter: "unknown" | "up" | "down";
  endpoints: number;
  skipped: number;
  polled_at: string | null;
  error: string | null;
}

export type EdrPollerView = EdrPollerContext;

export const edrPollerMachine = setup({
  types: { context: {} as EdrPollerContext, events: {} as EdrPollerEvent },
  delays: { interval: 30_000 },
  actions: {
    poll: () => {}, // effect: the actor gives it a body
    remember: assign(({ event }) =>
      event.type === "POLLED"
        ? {
            adapter: "up" as const,
            endpoints: event.endpoints,
            skipped: event.skipped,
            polled_at: event.at,
            error: null,
          }
        : { adapter: "down" as const, error: event.reason },
    ),
  },
}).createMachine({
  id: "edr-poller",
  context: { adapter: "unknown", endpoints: 0, skipped: 0, polled_at: null, error: null },
  initial: "polling",
  states: {
    polling: {
      entry: "poll",
      on: {
        POLLED: { target: "resting", actions: "remember" },
        POLL_FAILED: { target: "resting", actions: "remember" },
      },
    },
    resting: { after: { interval: "polling" } },
  },
});

export function viewOf({ context }: SnapshotFrom<typeof edrPollerMachine>): EdrPollerView {
  return context;
}
