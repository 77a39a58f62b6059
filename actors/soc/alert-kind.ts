/** The stored alert: its collection, and what its named actions mean here. */
import { DomainError } from "../../machines/errors.ts";
import {
  type Alert,
  type AlertEvent,
  alertMachine,
  alertOf,
  type NewCase,
  refusalOf,
  type Verdict,
} from "../../machines/soc/alert.ts";
import type { EntityKind } from "../entity-kind.ts";

/** What an alert asks of cases. Both are told again after a crash, and must not mind. */
export interface CasePort {
  openFor(alert: Alert, wish: NewCase): Promise<unknown>;
  linkAlert(case_id: string, alert_id: string, by: string): Promise<unknown>;
}

export const feedbackCollection = {
  name: "detection_feedback",
  indexes: [{ fields: ["rule_id", "created_at"] }],
};

export const alertCollection = {
  name: "alerts",
  indexes: [
    { fields: ["created_at"] },
    { fields: ["status", "created_at"] },
    { fields: ["severity", "created_at"] },
    { fields: ["case_id"] },
  ],
} as const;

/** The rule learns what came of its alert; a verdict that says nothing of the rule asks for a look at it. */
const feedbackOf: Record<Verdict, "true_positive" | "false_positive" | "needs_tuning"> = {
  true_positive: "true_positive",
  false_positive: "false_positive",
  benign: "needs_tuning",
  duplicate: "needs_tuning",
  test: "needs_tuning",
  insufficient_data: "needs_tuning",
};

export function alertKind(
  cases: () => CasePort,
  isoNow: () => string,
): EntityKind<typeof alertMachine, Alert> {
  return {
    name: "alert",
    collection: alertCollection,
    machine: alertMachine,
    refusalOf,
    recordOf: alertOf,
    effects: {
      openCase: async (alert, wish: NewCase) => {
        await cases().openFor(alert, wish);
        return undefined;
      },
      tellCase: async (
        alert,
        { case_id, by }: { case_id: string; by: string },
      ): Promise<AlertEvent | undefined> => {
        try {
          await cases().linkAlert(case_id, alert.id, by);
          return undefined;
        } catch (error) {
          // The case was deleted meanwhile, or takes no more: the alert goes back to be triaged.
          if (!(error instanceof DomainError) || (error.code !== "not_found" && error.code !== "conflict"))
            throw error;
          return { type: "CASE_LEFT", case_id, by: "system", at: isoNow() };
        }
      },
    },
    appends: {
      recordFeedback: (alert, { verdict, by }: { verdict: Verdict; by: string }, meta, key) => ({
        collection: feedbackCollection.name,
        doc: {
          id: key,
          rule_id: alert.rule_id,
          verdict: feedbackOf[verdict],
          alert_id: alert.id,
          case_id: alert.case_id,
          siem_log_id: null,
          notes: `alert closed as ${verdict}`,
          metadata: { alert_verdict: verdict },
          created_by: by,
          created_at: meta.at,
        },
      }),
    },
  };
}
