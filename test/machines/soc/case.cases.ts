import { strict as assert } from "node:assert";
import { caseMachine } from "../../../machines/soc/case.ts";
import { walkPlan } from "../../walker/walk.ts";

const step = { by: "analyst", at: "2026-03-01T10:00:00.000Z" };
const task = { id: "t1", title: "Collect memory", status: "todo", assignee: null } as const;
const evidence = {
  id: "e1",
  name: "disk.img",
  evidence_type: "image",
  storage_url: null,
  sha256: "ab",
  location: null,
};
const entry = {
  seq: 1,
  evidence_id: "e1",
  action: "registered",
  actor: "analyst",
  purpose: null,
  location: null,
  at: step.at,
  content_sha256: "ab",
  prev_hash: "00",
  hash: "11",
};
const head = { entry, signature: "sig" };

export const plan = walkPlan({
  name: "case",
  machine: caseMachine,
  inputs: [
    {
      ...step,
      id: "c1",
      title: "Intrusion",
      description: "",
      severity: "high",
      assignee: null,
      alert_ids: ["a1"],
      promoted_from: null,
    },
  ],
  cases: {
    EDIT: [{ ...step, changes: { title: "Intrusion at two sites" } }],
    INVESTIGATE: [step],
    CONTAIN: [step],
    RESOLVE: [step],
    CLOSE: [{ ...step, resolution: "resolved", summary: "cleaned" }],
    REOPEN: [step],
    REQUEST_APPROVAL: [{ ...step, approval_id: "p1" }],
    WITHDRAW_APPROVAL: [step],
    APPROVAL_ENDED: ["p1", "p2"].map((approval_id) => ({
      ...step,
      approval_id,
      outcome: "approved",
      reason: null,
    })),
    ALERT_LINKED: [{ ...step, alert_id: "a2" }],
    ALERT_LOST: [{ ...step, alert_id: "a2", reason: "it belongs to another case" }],
    ADD_OBSERVABLE: [
      {
        ...step,
        observable: { id: "o1", type: "ip", value: "10.0.0.1", source: null, tags: [], context: {} },
      },
    ],
    ADD_COMMENT: [{ ...step, id: "m1", body: "looks real" }],
    ADD_TASK: [{ ...step, task }],
    CHANGE_TASK: [{ ...step, task: { ...task, status: "done" } }],
    ADD_EVIDENCE: [{ ...step, evidence, chain: [head] }],
    RECORD_CUSTODY: [{ ...step, name: "disk.img", head }],
    REPORT: [{ ...step, action: "playbook completed" }],
    DELETE: [step],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.came_from, context.alert_ids]),
  invariant: ({ value, context }) => {
    if (value === "deleted") return;
    const waits = value === "pending_approval";
    assert.equal(context.requires_human_approval, waits, "the flag stands exactly while it waits");
    assert.equal(context.came_from !== null, waits);
    assert.equal(context.approval_id !== null, waits);
  },
});
