import { strict as assert } from "node:assert";
import { dueOf, executionMachine, executionOf } from "../../../machines/soc/execution.ts";
import type { ExecutionInput, PlaybookStep, StepType } from "../../../machines/soc/execution-record.ts";
import { walkPlan } from "../../walker/walk.ts";

const at = "2026-03-01T10:00:00.000Z";
const step = { by: "responder", at };

function stepOf(id: string, type: StepType, on_error: PlaybookStep["on_error"]): PlaybookStep {
  return { id, type, name: id, params: {}, on_error, timeout_s: 10 };
}

function inputOf(steps: PlaybookStep[], approval_id: string | null): ExecutionInput {
  return {
    id: "x1",
    playbook: {
      id: "pb",
      name: "Contain",
      description: "",
      critical: true,
      enabled: true,
      trigger: "",
      steps,
    },
    parameters: {},
    case_id: null,
    alert_id: null,
    requested_by: "responder",
    approval_id,
    approval_expires_at: approval_id && "2026-03-01T14:00:00.000Z",
    simulated: false,
    at,
  };
}

const answers = ["s1", "s2"].flatMap((step_id) => [1, 2, 3].map((attempt) => ({ step_id, attempt, at })));

export const plan = walkPlan({
  name: "execution",
  machine: executionMachine,
  inputs: [
    inputOf([], null),
    inputOf([stepOf("s1", "isolate_endpoint", "retry"), stepOf("s2", "comment", "ask")], "p1"),
    inputOf([stepOf("s1", "human_input", "continue"), stepOf("s2", "wait", "stop")], null),
    inputOf([stepOf("s1", "condition", "stop"), stepOf("s2", "comment", "stop")], null),
  ],
  cases: {
    START: [{ ...step, approval_id: "p1" }],
    APPROVAL_ENDED: [
      { approval_id: "p2", outcome: "rejected", at },
      { approval_id: "p1", outcome: "approved", at },
      { approval_id: "p1", outcome: "rejected", at },
    ],
    STEP_CALLED: answers,
    STEP_DONE: answers.map((answer) => ({ ...answer, receipt: { ok: true } })),
    STEP_FAILED: answers.map((answer) => ({ ...answer, error: "refused" })),
    STEP_UNKNOWN: answers.map((answer) => ({ ...answer, error: "silence" })),
    INPUT: [
      { ...step, input: "yes" },
      ...(["done", "retry", "skip", "abort"] as const).map((decision) => ({ ...step, decision })),
    ],
    CANCEL: [{ ...step, reason: "not needed" }],
  },
  keyOf: ({ value, context }) =>
    JSON.stringify([
      value,
      context.playbook_name,
      context.steps.map((each) => [each.type, each.state, Math.min(each.attempt, 4)]),
      context.waiting_for?.kind,
    ]),
  invariant: (snapshot) => {
    const run = executionOf(snapshot);
    if (run.status === "running") assert.ok(dueOf(run) !== null, "nothing runs without a deadline");
    else if (run.status !== "pending_approval") assert.equal(dueOf(run), null);
    assert.equal(run.steps_completed, run.steps.filter((each) => each.state === "completed").length);
  },
});
