import { setup } from "xstate";
import {
  afterClose,
  afterEnd,
  afterUp,
  afterWait,
  type End,
  leave,
  type Policy,
  put,
  type Slot,
  settle,
} from "./supervisor-slots.ts";

/** A supervisor's chart: it only decides; starting and stopping are effects that report back. */
type SupervisorEvent =
  | { type: "CHILD_UP"; id: string }
  | ({ type: "CHILD_ENDED"; id: string } & End)
  | { type: "CHILD_CLOSED"; id: string }
  | { type: "WAIT_OVER"; id: string }
  | { type: "HOLD_OVER"; id: string }
  | { type: "ADD_CHILD"; slot: Slot }
  | { type: "REMOVE_CHILD"; id: string }
  | { type: "SHUTDOWN"; deadline?: number };

interface SupervisorContext extends SupervisorInput {
  /** By when children that are being stopped must be gone; null while nothing presses. */
  deadline: number | null;
  reason: string | null;
}

interface SupervisorInput {
  slots: readonly Slot[];
  policy: Policy;
  /** Given so that a test can be exact; only `decide` reads them. */
  now: () => number;
  random: () => number;
}

/** A start that is not essential holds up those behind it no longer than this. */
const holdMs = 1_000;

const base = setup({
  types: {
    context: {} as SupervisorContext,
    events: {} as SupervisorEvent,
    input: {} as SupervisorInput,
  },
  guards: {
    isBooted: ({ context }) => context.slots.every((slot) => slot.tried || slot.phase === "stopped"),
    isEmpty: ({ context }) => context.slots.every((slot) => slot.phase === "stopped"),
    isTooMuch: ({ context }) => context.reason !== null,
  },
  actions: {
    startChild: (_, _params: { id: string }) => {}, // effect: the actor gives it a body
    stopChild: (_, _params: { id: string; deadline: number | null }) => {}, // effect
    giveUp: ({ context }) => {
      throw new Error(context.reason ?? "given up");
    },
  },
});

const dismissAll = base.assign(({ context, event }) => ({
  slots: context.slots.map((slot) => leave(slot, "stopped")),
  deadline: event.type === "SHUTDOWN" ? (event.deadline ?? null) : context.deadline,
}));

/** While it winds down, an end is only an end. */
const countOut = base.assign(({ context, event }) => {
  if (event.type !== "CHILD_CLOSED") return {};
  const out = (slot: Slot): Slot => (slot.id === event.id ? { ...slot, phase: "stopped" } : slot);
  return { slots: context.slots.map(out) };
});

/** Those already on their way out have no more time than the rest. */
const hurryUp = base.enqueueActions(({ context, enqueue }) => {
  for (const { id, phase } of context.slots) {
    if (phase === "ending") enqueue({ type: "stopChild", params: { id, deadline: context.deadline } });
  }
});

const giveTurns = base.enqueueActions(({ context, enqueue }) => {
  const before = context.slots;
  const after = settle(before, context.policy.strategy);
  enqueue.assign({ slots: after });
  for (const slot of after) {
    const was = before.find((each) => each.id === slot.id)?.phase;
    if (slot.phase === was) continue;
    if (slot.phase === "ending") {
      enqueue({ type: "stopChild", params: { id: slot.id, deadline: context.deadline } });
    }
    if (slot.phase !== "starting") continue;
    enqueue({ type: "startChild", params: { id: slot.id } });
    if (!slot.holds || slot.essential) continue;
    enqueue.raise({ type: "HOLD_OVER", id: slot.id }, { delay: holdMs, id: `hold.${slot.id}` });
  }
});

const setTimer = base.enqueueActions(({ context, event, enqueue }) => {
  if (event.type !== "CHILD_CLOSED") return;
  const slot = context.slots.find((each) => each.id === event.id);
  if (slot?.phase !== "waiting" && slot?.phase !== "degraded") return;
  enqueue.cancel(`wait.${slot.id}`);
  enqueue.raise({ type: "WAIT_OVER", id: slot.id }, { delay: slot.delayMs, id: `wait.${slot.id}` });
});

function decided(context: SupervisorContext, event: SupervisorEvent): Partial<SupervisorContext> {
  const { slots, policy, random } = context;
  if (event.type === "SHUTDOWN") return {};
  if (event.type === "ADD_CHILD") {
    return { slots: [...slots.filter((each) => each.id !== event.slot.id), event.slot] };
  }
  const slot = slots.find((each) => each.id === event.id);
  if (slot === undefined) return {};
  switch (event.type) {
    case "CHILD_UP":
      return { slots: afterUp(slots, event.id, context.now()) };
    case "CHILD_ENDED": {
      const { slots: after, escalate } = afterEnd(slots, event.id, event, policy, context.now(), random);
      return { slots: after, reason: escalate === null ? null : `${event.id}: ${escalate}` };
    }
    case "CHILD_CLOSED":
      return { slots: afterClose(slots, event.id) };
    case "WAIT_OVER": {
      const waits = slot.phase === "waiting" || slot.phase === "degraded";
      return { slots: waits ? afterWait(slots, slot) : slots };
    }
    case "HOLD_OVER":
      return { slots: put(slots, { ...slot, holds: false }) };
    case "REMOVE_CHILD": {
      const left = leave(slot, "gone");
      return { slots: left.phase === "stopped" ? slots.filter((each) => each !== slot) : put(slots, left) };
    }
  }
}

const decide = base.assign(({ context, event }) => decided(context, event));

export const supervisorMachine = base
  .extend({ actions: { decide, dismissAll, hurryUp, countOut, giveTurns, setTimer } })
  .createMachine({
    id: "supervisor",
    context: ({ input }) => ({ ...input, deadline: null, reason: null }),
    initial: "supervising",
    states: {
      supervising: {
        initial: "booting",
        entry: "giveTurns",
        on: {
          CHILD_UP: { actions: ["decide", "giveTurns"] },
          CHILD_ENDED: { actions: ["decide", "giveTurns"] },
          CHILD_CLOSED: { actions: ["decide", "setTimer", "giveTurns"] },
          WAIT_OVER: { actions: ["decide", "giveTurns"] },
          HOLD_OVER: { actions: ["decide", "giveTurns"] },
          ADD_CHILD: { actions: ["decide", "giveTurns"] },
          REMOVE_CHILD: { actions: ["decide", "giveTurns"] },
          SHUTDOWN: { target: "draining" },
        },
        always: { guard: "isTooMuch", target: "failing" },
        states: {
          booting: { always: { guard: "isBooted", target: "running" } },
          running: {},
        },
      },
      failing: {
        entry: ["dismissAll", "giveTurns"],
        on: {
          CHILD_CLOSED: { actions: ["countOut", "giveTurns"] },
          SHUTDOWN: { target: "draining" },
        },
        always: { guard: "isEmpty", target: "failed" },
      },
      draining: {
        entry: ["dismissAll", "hurryUp", "giveTurns"],
        on: { CHILD_CLOSED: { actions: ["countOut", "giveTurns"] } },
        always: { guard: "isEmpty", target: "stopped" },
      },
      stopped: { type: "final" },
      failed: { entry: "giveUp" },
    },
  });
