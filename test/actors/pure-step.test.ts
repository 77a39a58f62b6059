import { expect, test } from "vitest";
import { initialTransition, transition } from "xstate";
import { firstStep, nextStep } from "../../actors/pure-step.ts";
import { type AlertInput, alertMachine } from "../../machines/soc/alert.ts";
import { approvalMachine } from "../../machines/soc/approval.ts";

const at = "2026-01-01T00:00:00.000Z";
const alert: AlertInput = {
  ...{ id: "a", title: "t", description: "", severity: "low", source: "s", iocs: [], hash: "h" },
  ...{ site: null, mitre_techniques: [], assignee: null, rule_id: "rule-1", at },
};
const approval = {
  ...{ id: "p", action: "isolate", justification: null, requested_by: "ana", owner: null },
  ...{ playbook_id: null, execution_id: null, case_id: null, holds_case: false, parameters: {} },
  ...{ requested_at: at, expires_at: at },
};

const plain = ([snapshot, actions]: readonly [unknown, readonly { type: string; params?: unknown }[]]) => ({
  snapshot: JSON.parse(JSON.stringify(snapshot)) as unknown,
  actions: actions.map(({ type, params }) => ({ type, params })),
});

test("a first step is XState's own, with the same actions left to perform", () => {
  expect(plain(firstStep(approvalMachine, approval))).toEqual(
    plain(initialTransition(approvalMachine, approval)),
  );
  expect(firstStep(approvalMachine, approval)[1].map(({ type }) => type)).toEqual(["announce"]);
});

test("a further step is XState's own, with the same actions and parameters", () => {
  const [before] = initialTransition(alertMachine, alert);
  const event = { type: "CLOSE", verdict: "benign", by: "ana", at } as const;
  const step = nextStep(alertMachine, before, event);
  expect(plain(step)).toEqual(plain(transition(alertMachine, before, event)));
  expect(step[1]).not.toEqual([]);
});

test("steps share nothing: the actions of one are not those of another", () => {
  const [first, second] = [firstStep(approvalMachine, approval), firstStep(approvalMachine, approval)];
  expect(first[1]).toHaveLength(1);
  expect(second[1]).toHaveLength(1);
});
