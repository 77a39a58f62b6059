/** The stored case: its collections, and what its named actions mean here. */
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { caseMachine, caseOf, refusalOf } from "../../machines/soc/case.ts";
import { caseAppends, caseCollections } from "../../machines/soc/case-documents.ts";
import type { Case, SignedEntry } from "../../machines/soc/case-record.ts";
import type { Append, EntityKind } from "../entity-kind.ts";
import type { Audit } from "./audit.ts";

export const caseSpecs: readonly CollectionSpec[] = [
  {
    name: "cases",
    indexes: [
      { fields: ["created_at"] },
      { fields: ["status", "created_at"] },
      { fields: ["severity", "created_at"] },
    ],
  },
  ...Object.values(caseCollections)
    .filter((name) => name !== caseCollections.ledger)
    .map((name) => ({ name, indexes: [{ fields: ["case_id", "seq"] }] })),
  {
    name: caseCollections.ledger,
    indexes: [{ fields: ["case_id", "seq"] }, { fields: ["evidence_id", "entry.seq"] }],
  },
];

/** What follows elsewhere from a step of a case. Told again after a crash, and must not mind. */
export interface CaseEffects {
  takeAlerts(record: Case, alert_ids: readonly string[], by: string): Promise<void>;
  releaseAlerts(case_id: string, by: string): Promise<void>;
  requestApproval(record: Case, request: { approval_id: string; by: string; at: string }): Promise<void>;
  cancelApprovals(case_id: string, by: string, scope: "review" | "all"): Promise<void>;
}

type CaseContext = Omit<Case, "version">;

export function caseKind(does: CaseEffects, audit: Audit): EntityKind<typeof caseMachine, Case> {
  return {
    name: "case",
    collection: caseSpecs[0] as CollectionSpec,
    machine: caseMachine,
    refusalOf,
    recordOf: caseOf,
    effects: {
      takeAlerts: async (record, { alert_ids, by }: { alert_ids: string[]; by: string }) => {
        await does.takeAlerts(record, alert_ids, by);
        return undefined;
      },
      releaseAlerts: async (record, { by }: { by: string }) => {
        await does.releaseAlerts(record.id, by);
        return undefined;
      },
      requestApproval: async (record, request: { approval_id: string; by: string; at: string }) => {
        await does.requestApproval(record, request);
        return undefined;
      },
      cancelApprovals: async (record, { by, scope }: { by: string; scope: "review" | "all" }) => {
        await does.cancelApprovals(record.id, by, scope);
        return undefined;
      },
    },
    appends: {
      ...Object.fromEntries(
        Object.entries(caseAppends).map(([name, make]) => [name, appendOf(make as Make)]),
      ),
      publishHead: (record, { entry, signature }: SignedEntry, meta) => {
        const { evidence_id, seq, hash } = entry;
        return audit.document({
          at: meta.at,
          actor: meta.actor,
          action: "evidence.head",
          object: `evidence/${evidence_id}`,
          request_id: meta.cause ?? null,
          detail: { case_id: record.id, evidence_id, seq, hash, signature },
        });
      },
    },
  };
}

type Made = { collection: string; doc: { id: string } };
type Make = (case_id: string, key: string, said: { actor: string; at: string }, params: unknown) => Made;

function appendOf(make: Make): Append<CaseContext> {
  return (record, params, { actor, at }, key) => {
    const { collection, doc } = make(record.id, key, { actor, at }, params);
    return { collection, doc: { ...doc } };
  };
}
