/** The showcase's cases: the intrusion across both sites, and a quiet one that turned out to be nothing. */
import { type AuditEntry, auditCollections } from "./audit.ts";
import { caseMachine, caseOf } from "./case.ts";
import { caseAppends, type Said } from "./case-documents.ts";
import type { CaseEvent, CaseInput, Evidence, Observable, SignedEntry, Task } from "./case-record.ts";
import { chained, ledgerRoot } from "./ledger.ts";
import { type Left, replay } from "./replay.ts";
import type { Stage } from "./showcase.ts";
import { storyAlerts, storyApprovalId, storyCaseId } from "./showcase-story.ts";

const observables: readonly (readonly [string, string])[] = [
  ["domain", "signin-headquarters.example"],
  ["ip", "203.0.113.24"],
  ["ip", "198.51.100.77"],
  ["host", "pn-jump-01"],
];

function taskOf(n: number, title: string, assignee: string | null): Task {
  return { id: `task-showcase-${n}`, title, status: "todo", assignee };
}

function observableOf(n: number, type: string, value: string): Observable {
  const source = "EnrichmentAgent";
  return { id: `observable-showcase-${n}`, type, value, source, tags: ["intrusion"], context: {} };
}

export function showCases(stage: Stage): void {
  const { by, at } = stage;
  const [first, ...others] = storyAlerts
    .filter((alert) => alert.end === "case")
    .map((alert) => stage.alertId(alert.slug));
  const opened = { promoted_from: null, assignee: "analyst", by: "analyst" };
  putCase(
    stage,
    {
      ...opened,
      id: storyCaseId,
      title: "Stolen account reaches the plant",
      severity: "critical",
      description: "One account taken by an imitated sign-in page, used at both sites.",
      alert_ids: [first ?? ""],
      at: at(2520),
    },
    intrusion(stage, others),
  );
  const summary = "The scan came from the new inventory tool; its address is known now.";
  putCase(
    stage,
    {
      ...opened,
      id: "case-showcase-2",
      title: "Port scan from an inventory tool",
      severity: "low",
      description: "hq-ws-042 runs the new inventory tool.",
      alert_ids: [],
      at: at(620),
    },
    [
      { type: "INVESTIGATE", ...by("analyst", 615) },
      { type: "ADD_COMMENT", id: "comment-showcase-2", body: summary, ...by("analyst", 605) },
      { type: "CONTAIN", ...by("analyst", 603) },
      { type: "RESOLVE", ...by("analyst", 602) },
      { type: "CLOSE", resolution: "false_positive", summary, ...by("analyst", 600) },
    ],
  );
}

function intrusion(stage: Stage, alert_ids: readonly string[]): CaseEvent[] {
  const { by } = stage;
  const memory = taskOf(1, "Image hq-ws-017", "responder");
  const reset = taskOf(2, "Reset the account and end its sessions", "analyst");
  const flash = taskOf(3, "Restore the firmware of plc-07", null);
  const [registered, transferred, evidence] = custody(stage);
  return [
    ...alert_ids.map((alert_id): CaseEvent => ({ type: "ALERT_LINKED", alert_id, ...by("analyst", 1360) })),
    { type: "INVESTIGATE", ...by("analyst", 1355) },
    ...observables.map(([type, value], n): CaseEvent => {
      return {
        type: "ADD_OBSERVABLE",
        observable: observableOf(n + 1, type, value),
        ...by("EnrichmentAgent", 1350 - n),
      };
    }),
    { type: "ADD_TASK", task: memory, ...by("analyst", 1340) },
    { type: "ADD_TASK", task: reset, ...by("analyst", 1339) },
    { type: "ADD_EVIDENCE", evidence, chain: [registered], ...by("responder", 1300) },
    { type: "CHANGE_TASK", task: { ...memory, status: "done" }, ...by("responder", 1299) },
    { type: "CHANGE_TASK", task: { ...reset, status: "done" }, ...by("analyst", 1200) },
    { type: "RECORD_CUSTODY", name: evidence.name, head: transferred, ...by("responder", 1100) },
    {
      type: "ADD_COMMENT",
      id: "comment-showcase-1",
      body: "The service on pn-jump-01 was made with the account of hq-ws-017. Treat both sites as one intrusion.",
      ...by("analyst", 1000),
    },
    { type: "ADD_TASK", task: flash, ...by("responder", 990) },
    { type: "REPORT", action: "proposes the playbook Contain a host", ...by("ResponseAgent", 90) },
    { type: "REQUEST_APPROVAL", approval_id: storyApprovalId, ...by("responder", 60) },
  ];
}

function custody({ by, sha256, sign }: Stage): [SignedEntry, SignedEntry, Evidence] {
  const evidence: Evidence = {
    id: "evidence-showcase-1",
    name: "hq-ws-017 memory image",
    evidence_type: "memory",
    storage_url: null,
    sha256: sha256("memory image of hq-ws-017"),
    location: "evidence locker 2",
  };
  const draft = { evidence_id: evidence.id, location: evidence.location, content_sha256: evidence.sha256 };
  const root = { seq: 0, hash: ledgerRoot(storyCaseId, evidence.id, sha256) };
  const signed = (
    action: string,
    purpose: string | null,
    minutes: number,
    after: { seq: number; hash: string },
  ) => {
    const { by: actor, at } = by("responder", minutes);
    const entry = chained({ ...draft, action, actor, purpose, at }, after, sha256);
    return { entry, signature: sign(entry.hash) };
  };
  const registered = signed("registered", null, 1300, root);
  return [registered, signed("transferred", "analysis", 1100, registered.entry), evidence];
}

/** Puts the record and everything that its steps left beside it. */
function putCase(stage: Stage, input: CaseInput, events: readonly CaseEvent[]): void {
  const { record, left } = replay(caseMachine, caseOf, input, events);
  stage.put("cases", record);
  for (const each of left) putPart(stage, record.id, each);
}

function putPart({ put }: Stage, case_id: string, { type, params, key, event }: Left): void {
  const said = { actor: event.by ?? "system", at: event.at ?? "" };
  if (type === "publishHead") put(auditCollections.entries, headEntry(case_id, said, params as SignedEntry));
  if (!Object.hasOwn(caseAppends, type)) return;
  const { collection, doc } = caseAppends[type as keyof typeof caseAppends](
    case_id,
    key,
    said,
    params as never,
  );
  put(collection, doc);
}

function headEntry(case_id: string, said: Said, { entry, signature }: SignedEntry): AuditEntry {
  const { evidence_id, seq, hash } = entry;
  return {
    id: `audit/showcase/${evidence_id}/${seq}`,
    chain: "showcase",
    n: seq,
    ...said,
    action: "evidence.head",
    object: `evidence/${evidence_id}`,
    result: "ok",
    request_id: null,
    detail: { case_id, evidence_id, seq, hash, signature },
  };
}
