import { expect, it } from "vitest";
import { assign, setup } from "xstate";
import { walk, walkPlan } from "./walk.ts";

const door = setup({
  types: {
    context: {} as { locked: boolean },
    events: {} as { type: "OPEN" } | { type: "LOCK"; code: number },
  },
  guards: {
    isUnlocked: ({ context }) => !context.locked,
    fits: ({ event }) => event.type === "LOCK" && event.code === 7,
  },
  actions: { lock: assign({ locked: true }) },
}).createMachine({
  id: "door",
  context: { locked: false },
  initial: "closed",
  states: {
    closed: {
      on: { OPEN: { guard: "isUnlocked", target: "open" }, LOCK: { guard: "fits", actions: "lock" } },
      always: { guard: ({ context }) => context.locked, target: "locked" },
    },
    open: { after: { 5000: "closed", 9000: "locked" } },
    locked: {},
  },
});

it("takes guarded branches, timers and eventless transitions when the payloads allow it", () => {
  const result = walk(walkPlan({ name: "door", machine: door, cases: { LOCK: [{ code: 1 }, { code: 7 }] } }));
  expect(result.missing).toEqual(["door.open —xstate.after.9000.door.open→ door.locked"]);
  expect([result.taken, result.total]).toEqual([4, 5]);
});

it("names what no payload reaches", () => {
  const result = walk(walkPlan({ name: "door", machine: door, cases: { LOCK: [{ code: 1 }] } }));
  expect(result.missing).toContain("door.closed —LOCK [fits]→ (stays)");
});

it("stops at a state that must never be seen", () => {
  const invariant = (snapshot: { value: unknown }) => {
    if (snapshot.value === "locked") throw new Error("locked out");
  };
  const plan = walkPlan({ name: "door", machine: door, cases: { LOCK: [{ code: 7 }] }, invariant });
  expect(() => walk(plan)).toThrow("locked out");
});
