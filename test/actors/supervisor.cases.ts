import assert from "node:assert/strict";
import { supervisorMachine } from "../../actors/supervisor-machine.ts";
import { slotOf } from "../../actors/supervisor-slots.ts";
import type { ChildSpec, Strategy } from "../../actors/supervisor-spec.ts";
import { walkPlan } from "../walker/walk.ts";

const slot = (id: string, more: Partial<ChildSpec> = {}, dynamic = false) =>
  slotOf({ id, restart: "permanent", start: () => assert.fail("the walk starts nothing"), ...more }, dynamic);

const inputFor = (strategy: Strategy) => ({
  slots: [slot("first", { essential: true }), slot("second")],
  policy: { strategy, intensity: 1, periodMs: 5_000 },
  now: () => 0,
  random: () => 1,
});

const ids = ["first", "second"].map((id) => ({ id }));
const leaving = new Set(["doomed", "ending", "stopped"]);

export const plan = walkPlan({
  name: "supervisor",
  // It ends by throwing what its own supervisor is to hear; the walk only wants to see it get there.
  machine: supervisorMachine.provide({ actions: { giveUp: () => {} } }),
  inputs: (["one_for_one", "one_for_all", "rest_for_one"] as const).map(inputFor),
  cases: {
    CHILD_UP: ids,
    CHILD_ENDED: ids.flatMap(({ id }) => [
      { id, failed: true, error: "boom" },
      { id, failed: false, error: "it ended" },
    ]),
    CHILD_CLOSED: ids,
    WAIT_OVER: ids,
    HOLD_OVER: ids,
    ADD_CHILD: [{ slot: slot("guest", { restart: "temporary" }, true) }],
    REMOVE_CHILD: [{ id: "second" }, { id: "nobody" }],
    SHUTDOWN: [{}, { deadline: 5_000 }],
  },
  keyOf: ({ value, context: { slots, policy } }) =>
    JSON.stringify([
      value,
      policy.strategy,
      slots.map(({ id, phase, next, tried, history }) => [
        id,
        phase,
        leaving.has(phase) && next,
        tried,
        history.length,
      ]),
    ]),
  invariant: ({ value, context: { slots, policy } }) => {
    const phases = slots.map(({ phase }) => phase);
    const over = value === "stopped" || value === "failed";
    if (over)
      assert.ok(
        phases.every((phase) => phase === "stopped"),
        "ended with a child left",
      );
    if (value === "draining" || value === "failing")
      assert.ok(
        phases.every((phase) => leaving.has(phase)),
        "a child was kept while all go",
      );
    if (policy.strategy !== "one_for_one")
      assert.ok(phases.filter((phase) => phase === "starting").length <= 1, "two started at once");
    for (const { essential, phase } of slots)
      assert.ok(!essential || phase !== "degraded", "an essential child was given up");
  },
});
