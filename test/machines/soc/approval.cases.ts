import { strict as assert } from "node:assert";
import { approvalMachine } from "../../../machines/soc/approval.ts";
import { walkPlan } from "../../walker/walk.ts";

const step = { by: "manager", at: "2026-03-01T10:00:00.000Z" };

export const plan = walkPlan({
  name: "approval",
  machine: approvalMachine,
  inputs: [
    {
      id: "p1",
      action: "Isolate the host",
      justification: null,
      requested_by: "responder",
      playbook_id: "pb",
      execution_id: "x1",
      case_id: null,
      holds_case: false,
      parameters: {},
      requested_at: step.at,
      expires_at: "2026-03-01T14:00:00.000Z",
    },
  ],
  cases: {
    DECIDE: [
      { ...step, approved: true, reason: null },
      { ...step, approved: false, reason: "too broad" },
    ],
    USE: [step],
    CANCEL: [{ ...step, reason: "the case was deleted" }],
  },
  invariant: ({ value, context }) => {
    assert.equal(context.decided_at === null, value === "pending");
    assert.ok(context.used_at === null || value === "approved", "only an approved one is used");
  },
});
