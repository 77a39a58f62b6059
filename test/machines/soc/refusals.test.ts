import { describe, expect, it } from "vitest";
import { initialTransition, transition } from "xstate";
import {
  type Alert,
  type AlertEvent,
  alertMachine,
  alertMoves,
  alertOf,
  dedupInput,
  refusalOf as refuseAlert,
} from "../../../machines/soc/alert.ts";
import { type Approval, refusalOf as refuseApproval } from "../../../machines/soc/approval.ts";
import { caseMachine, caseOf, refusalOf as refuseCase } from "../../../machines/soc/case.ts";
import { type Case, type CaseEvent, caseMoves } from "../../../machines/soc/case-record.ts";
import { plan as alertPlan } from "./alert.cases.ts";
import { plan as approvalPlan } from "./approval.cases.ts";
import { plan as casePlan } from "./case.cases.ts";

const step = { by: "analyst", at: "2026-03-01T10:00:00.000Z" };
const alertEvents: Record<string, AlertEvent> = {
  triaged: { type: "TRIAGE", ...step },
  investigating: { type: "INVESTIGATE", ...step },
  resolved: { type: "RESOLVE", ...step },
  closed: { type: "CLOSE", verdict: "benign", ...step },
};
const caseEvents: Record<string, CaseEvent> = {
  open: { type: "REOPEN", ...step },
  investigating: { type: "INVESTIGATE", ...step },
  contained: { type: "CONTAIN", ...step },
  resolved: { type: "RESOLVE", ...step },
  closed: { type: "CLOSE", resolution: "resolved", summary: "done", ...step },
  pending_approval: { type: "REQUEST_APPROVAL", approval_id: "p1", ...step },
};

function alertIn(status: Alert["status"], more: Partial<Alert> = {}): Alert {
  const [first] = initialTransition(alertMachine, alertPlan.inputs?.[0] as never);
  return { ...alertOf(first), status, version: 3, ...more };
}

function caseIn(status: Case["status"], more: Partial<Case> = {}): Case {
  const [first] = initialTransition(caseMachine, casePlan.inputs?.[0] as never);
  return { ...caseOf(first), status, version: 3, ...more };
}

describe("an alert", () => {
  for (const [from, allowed] of Object.entries(alertMoves)) {
    for (const [to, event] of Object.entries(alertEvents)) {
      const legal = from === to || allowed.includes(to as never);
      it(`${legal ? "moves" : "does not move"} from ${from} to ${to}`, () => {
        const record = alertIn(from as Alert["status"]);
        const refusal = refuseAlert(record, event);
        if (!legal) {
          expect(refusal).toMatchObject({ code: "conflict", field: "status" });
          expect(refusal?.message).toContain(allowed.join(", "));
          return;
        }
        expect(refusal).toBeNull();
        const now = alertMachine.resolveState({ value: record.status, context: record });
        expect(alertOf(transition(alertMachine, now, event)[0]).status).toBe(to);
      });
    }
  }

  it("belongs to one case only", () => {
    const linked = alertIn("investigating", { case_id: "c1" });
    expect(refuseAlert(linked, { type: "LINK", case_id: "c2", ...step })?.code).toBe("conflict");
    expect(refuseAlert(linked, { type: "LINK", case_id: "c1", ...step })).toBeNull();
    expect(refuseAlert(linked, { type: "PROMOTE", case_id: "c1", ...step })?.code).toBe("conflict");
    expect(refuseAlert(alertIn("closed"), { type: "LINK", case_id: "c1", ...step })?.field).toBe("status");
  });

  it("refuses a change of a version that it no longer is", () => {
    expect(refuseAlert(alertIn("new"), { type: "EDIT", ...step, at_version: 2 })).toMatchObject({
      code: "conflict",
      field: "version",
    });
    expect(refuseAlert(alertIn("new"), { type: "EDIT", ...step, at_version: 3 })).toBeNull();
  });

  it("has a fingerprint that does not depend on the order of its indicators, and sorts by code unit", () => {
    expect(dedupInput("t", "s", ["b", "a"])).toBe(dedupInput("t", "s", ["a", "b"]));
    expect(dedupInput("t", "s", ["ä", "z", "Z"])).toBe('["t","s",["Z","z","ä"]]');
    expect(dedupInput("t", "s", ["a", "b"])).not.toBe(dedupInput("t", "s", ["a,b"]));
  });
});

describe("a case", () => {
  for (const [from, allowed] of Object.entries(caseMoves)) {
    for (const [to, event] of Object.entries(caseEvents)) {
      const legal = from === to || allowed.includes(to as never);
      it(`${legal ? "moves" : "does not move"} from ${from} to ${to}`, () => {
        const record = caseIn(from as Case["status"]);
        const refusal = refuseCase(record, event);
        if (!legal) {
          expect(refusal).toMatchObject({ code: "conflict", field: "status" });
          expect(refusal?.message).toContain(allowed.join(", ") || "none");
          return;
        }
        expect(refusal).toBeNull();
        const now = caseMachine.resolveState({ value: record.status, context: record });
        expect(caseOf(transition(caseMachine, now, event)[0]).status).toBe(to);
      });
    }
  }

  it("that is deleted is not there for any event", () => {
    for (const event of Object.values(caseEvents)) {
      expect(refuseCase(caseIn("deleted"), event)?.code).toBe("not_found");
    }
  });

  it("goes back to where it came from when its approval ends", () => {
    for (const from of ["open", "investigating", "contained"] as const) {
      const start = caseMachine.resolveState({ value: from, context: caseIn(from) });
      const [waits] = transition(caseMachine, start, caseEvents.pending_approval as CaseEvent);
      expect(waits.value).toBe("pending_approval");
      const end = { type: "APPROVAL_ENDED", approval_id: "p1", outcome: "rejected", reason: null } as const;
      expect(transition(caseMachine, waits, { ...end, ...step })[0].value).toBe(from);
    }
  });
});

describe("an approval", () => {
  const pending = { ...(approvalPlan.inputs?.[0] as object), status: "pending", version: 1 } as Approval;
  const decide = { type: "DECIDE", approved: true, reason: null, at: step.at } as const;

  it("is not decided by the one who asked, whatever its state", () => {
    expect(refuseApproval(pending, { ...decide, by: "responder" })?.code).toBe("forbidden");
    expect(refuseApproval({ ...pending, status: "approved" }, { ...decide, by: "responder" })?.code).toBe(
      "forbidden",
    );
    expect(refuseApproval(pending, { ...decide, by: "manager" })).toBeNull();
  });

  it("is decided once, and never at or after its deadline", () => {
    expect(refuseApproval({ ...pending, status: "rejected" }, { ...decide, by: "manager" })?.code).toBe(
      "conflict",
    );
    const at = pending.expires_at;
    expect(refuseApproval(pending, { ...decide, by: "manager", at })?.code).toBe("conflict");
    expect(refuseApproval(pending, { ...decide, by: "manager", at: "2026-03-01T13:59:59.999Z" })).toBeNull();
  });

  it("is used once, and only when it was approved", () => {
    const use = { type: "USE", ...step } as const;
    expect(refuseApproval({ ...pending, status: "approved", used_at: null }, use)).toBeNull();
    expect(refuseApproval({ ...pending, status: "approved", used_at: step.at }, use)?.code).toBe("conflict");
    for (const status of ["rejected", "timeout", "cancelled"] as const) {
      expect(refuseApproval({ ...pending, status }, use)?.code).toBe("forbidden");
    }
    expect(refuseApproval(pending, use)?.code).toBe("conflict");
  });
});
