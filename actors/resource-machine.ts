import { assign, setup } from "xstate";

/** The chart of a child that is a resource rather than a chart of its own: a server, a store, a broker. */
type ResourceEvent =
  | { type: "OPENED" }
  | { type: "FAILED"; error: unknown }
  | { type: "SHUTDOWN" }
  | { type: "CLOSED" };

export const resourceMachine = setup({
  types: { context: {} as { error: unknown }, events: {} as ResourceEvent },
  actions: {
    release: () => {}, // effect: the actor gives it a body
    rememberError: assign({ error: ({ event }) => (event.type === "FAILED" ? event.error : null) }),
    giveUp: ({ context }) => {
      throw context.error;
    },
  },
}).createMachine({
  id: "resource",
  context: { error: null },
  initial: "opening",
  on: { FAILED: { target: ".failed", actions: "rememberError" } },
  states: {
    opening: { on: { OPENED: "up", SHUTDOWN: "closing" } },
    up: { on: { SHUTDOWN: "closing" } },
    closing: {
      entry: "release",
      on: { CLOSED: "closed", FAILED: { target: "failed", actions: "rememberError" } },
    },
    closed: { type: "final" },
    failed: { entry: "giveUp" },
  },
});
