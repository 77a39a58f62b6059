import { strict as assert } from "node:assert";
import { alertMachine, verdicts } from "../../../machines/soc/alert.ts";
import { walkPlan } from "../../walker/walk.ts";

const step = { by: "analyst", at: "2026-03-01T10:00:00.000Z" };

export const plan = walkPlan({
  name: "alert",
  machine: alertMachine,
  inputs: ["r1", null].map((rule_id) => {
    return {
      id: "a1",
      title: "Beacon",
      description: "",
      severity: "high" as const,
      source: "siem",
      iocs: ["10.0.0.1"],
      hash: "00",
      site: null,
      mitre_techniques: [],
      assignee: null,
      rule_id,
      at: step.at,
    };
  }),
  cases: {
    EDIT: [{ ...step, changes: { assignee: "analyst" } }],
    TRIAGE: [step],
    INVESTIGATE: [step],
    RESOLVE: [step],
    CLOSE: verdicts.map((verdict) => ({ ...step, verdict })),
    PROMOTE: [{ ...step, case_id: "c1" }],
    LINK: [{ ...step, case_id: "c1" }],
    CASE_TOOK: [{ ...step, case_id: "c1" }],
    CASE_LEFT: [
      { ...step, case_id: "c1" },
      { ...step, case_id: "c2" },
    ],
    DUPLICATED: [step],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.verdict, context.case_id, context.rule_id]),
  invariant: ({ value, context }) => {
    assert.equal(context.verdict !== null, value === "closed", "a verdict stands exactly while it is closed");
    assert.ok(context.notes.length <= 20);
  },
});
