/** What a step of a case leaves beside its record: documents of their own, keyed by the step. */
import type { Evidence, Observable, SignedEntry, Task } from "./case-record.ts";
import type { LedgerEntry } from "./ledger.ts";

/** Where each kind is kept. */
export const caseCollections = {
  timeline: "case_timeline",
  observables: "case_observables",
  comments: "case_comments",
  tasks: "case_tasks",
  evidence: "case_evidence",
  ledger: "evidence_ledger",
} as const;

/** Who took the step, and when. */
export interface Said {
  actor: string;
  at: string;
}

interface Owned {
  /** A step's documents are in the order of its case. */
  id: string;
  case_id: string;
  seq: number;
}

export interface TimelineDoc extends Owned {
  agent: string;
  action: string;
  timestamp: string;
}
export interface ObservableDoc extends Owned, Observable {
  created_by: string;
  created_at: string;
}
export interface CommentDoc extends Owned {
  author: string;
  body: string;
  created_at: string;
}
/** One state of a task; the newest is what it is now. */
export interface TaskDoc extends Owned, Omit<Task, "id"> {
  task_id: string;
  changed_by: string;
  changed_at: string;
}
export interface EvidenceDoc extends Owned, Evidence {
  registered_by: string;
  registered_at: string;
}
export interface LedgerDoc extends Owned {
  evidence_id: string;
  entry: LedgerEntry;
  signature: string;
}

/** The place of a document in its case, from the step's key `case/<id>/<version>/<n>`. */
export function seqOf(key: string): number {
  const [n, version] = key.split("/").reverse();
  return Number(version) * 1000 + Number(n);
}

function timelineDoc(case_id: string, key: string, said: Said, action: string): TimelineDoc {
  return { id: key, case_id, seq: seqOf(key), agent: said.actor, action, timestamp: said.at };
}

function observableDoc(case_id: string, key: string, said: Said, observable: Observable): ObservableDoc {
  return { ...observable, case_id, seq: seqOf(key), created_by: said.actor, created_at: said.at };
}

function commentDoc(
  case_id: string,
  key: string,
  said: Said,
  { id, body }: { id: string; body: string },
): CommentDoc {
  return { id, case_id, seq: seqOf(key), author: said.actor, body, created_at: said.at };
}

function taskDoc(case_id: string, key: string, said: Said, { id: task_id, ...task }: Task): TaskDoc {
  return { ...task, id: key, task_id, case_id, seq: seqOf(key), changed_by: said.actor, changed_at: said.at };
}

function evidenceDoc(case_id: string, key: string, said: Said, evidence: Evidence): EvidenceDoc {
  return { ...evidence, case_id, seq: seqOf(key), registered_by: said.actor, registered_at: said.at };
}

function ledgerDoc(case_id: string, key: string, { entry, signature }: SignedEntry): LedgerDoc {
  const { evidence_id, seq } = entry;
  return { id: `${evidence_id}/${seq}`, case_id, seq: seqOf(key), evidence_id, entry, signature };
}

/** From the chart's actions to what they write; the head of a chain goes to the audit stream instead. */
export const caseAppends = {
  addTimeline: (case_id: string, key: string, said: Said, params: { action: string }) => ({
    collection: caseCollections.timeline,
    doc: timelineDoc(case_id, key, said, params.action),
  }),
  addObservable: (case_id: string, key: string, said: Said, params: Observable) => ({
    collection: caseCollections.observables,
    doc: observableDoc(case_id, key, said, params),
  }),
  addComment: (case_id: string, key: string, said: Said, params: { id: string; body: string }) => ({
    collection: caseCollections.comments,
    doc: commentDoc(case_id, key, said, params),
  }),
  addTask: (case_id: string, key: string, said: Said, params: Task) => ({
    collection: caseCollections.tasks,
    doc: taskDoc(case_id, key, said, params),
  }),
  addEvidence: (case_id: string, key: string, said: Said, params: Evidence) => ({
    collection: caseCollections.evidence,
    doc: evidenceDoc(case_id, key, said, params),
  }),
  addLedgerEntry: (case_id: string, key: string, _: Said, params: SignedEntry) => ({
    collection: caseCollections.ledger,
    doc: ledgerDoc(case_id, key, params),
  }),
};

/** What is shown of each: without the fields that only say where it belongs. */
export interface CaseParts {
  timeline: Omit<TimelineDoc, "case_id" | "seq">[];
  observables: Omit<ObservableDoc, "case_id" | "seq">[];
  evidence: (Omit<EvidenceDoc, "case_id" | "seq"> & { custody_entries: LedgerEntry[] })[];
  comments: Omit<CommentDoc, "case_id" | "seq">[];
  tasks: ShownTask[];
}
export interface ShownTask extends Task {
  created_by: string;
  created_at: string;
  updated_at: string;
}

export function shown<T extends Owned & { version?: number }>(
  doc: T,
): Omit<T, "case_id" | "seq" | "version"> {
  const { case_id: _, seq: __, version: ___, ...rest } = doc;
  return rest;
}

/** The tasks as they are now, in the order in which they were added. */
export function foldTasks(docs: readonly TaskDoc[]): ShownTask[] {
  const tasks = new Map<string, ShownTask>();
  for (const { task_id: id, title, status, assignee, changed_by, changed_at } of docs) {
    const { created_by, created_at } = tasks.get(id) ?? { created_by: changed_by, created_at: changed_at };
    tasks.set(id, { id, title, status, assignee, created_by, created_at, updated_at: changed_at });
  }
  return [...tasks.values()];
}

/** Evidence with its chain, as far as it is stored. */
export function withCustody(
  evidence: readonly EvidenceDoc[],
  ledger: readonly LedgerDoc[],
): CaseParts["evidence"] {
  const chains = Map.groupBy(ledger, (doc) => doc.evidence_id);
  return evidence.map((doc) => ({
    ...shown(doc),
    custody_entries: (chains.get(doc.id) ?? []).map((each) => each.entry),
  }));
}
