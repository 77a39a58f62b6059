/** What people put into a case: observables, comments, tasks, evidence and its custody. */
import { DomainError } from "../../machines/errors.ts";
import { type CaseParts, caseAppends, type ShownTask, shown } from "../../machines/soc/case-documents.ts";
import type { Task, TaskStatus } from "../../machines/soc/case-record.ts";
import type { EvidenceExport } from "../../machines/soc/evidence-export.ts";
import type { LedgerEntry, Verification } from "../../machines/soc/ledger.ts";
import type { Asker } from "./asker.ts";
import type { Cases } from "./cases.ts";
import { type Desk, isoNow } from "./desk.ts";
import { type Custody, EvidenceLedger } from "./evidence.ts";
import { newId } from "./ids.ts";
import type { List, ListQuery } from "./lists.ts";

export interface NewObservable {
  type: string;
  value: string;
  source?: string | null | undefined;
  tags?: string[] | undefined;
  context?: Record<string, unknown> | undefined;
}

export interface NewEvidence {
  name: string;
  evidence_type: string;
  sha256: string;
  storage_url?: string | null | undefined;
  location?: string | null | undefined;
  /** What happened to it before; recorded after its registration. */
  custody_entries?: NewCustody[] | undefined;
}

export interface NewTask {
  title: string;
  status?: TaskStatus | undefined;
  assignee?: string | null | undefined;
}

export interface TaskPatch {
  status?: TaskStatus | undefined;
  assignee?: string | null | undefined;
}

export interface NewCustody {
  action: string;
  purpose?: string | null | undefined;
  location?: string | null | undefined;
}

type Shown<P extends "observables" | "comments" | "evidence"> = CaseParts[P][number];

export class CaseFile {
  readonly #desk: Desk;
  readonly #cases: Cases;
  readonly #ledger: EvidenceLedger;

  constructor(desk: Desk, cases: Cases) {
    this.#desk = desk;
    this.#cases = cases;
    this.#ledger = new EvidenceLedger(desk.store, desk.keys);
  }

  async addObservable(case_id: string, body: NewObservable, asker: Asker): Promise<Shown<"observables">> {
    const { type, value, source = null, tags = [], context = {} } = body;
    const observable = { id: this.#newId("observable"), type, value, source, tags, context };
    const step = this.#step(asker);
    await this.#cases.tell(case_id, { type: "ADD_OBSERVABLE", observable, ...step }, asker);
    return shown(caseAppends.addObservable(case_id, "", { actor: step.by, at: step.at }, observable).doc);
  }

  async addComment(case_id: string, body: string, asker: Asker): Promise<Shown<"comments">> {
    const id = this.#newId("comment");
    const step = this.#step(asker);
    await this.#cases.tell(case_id, { type: "ADD_COMMENT", id, body, ...step }, asker);
    return shown(caseAppends.addComment(case_id, "", { actor: step.by, at: step.at }, { id, body }).doc);
  }

  async addTask(case_id: string, { title, status = "todo", assignee = null }: NewTask, asker: Asker) {
    const task: Task = { id: this.#newId("task"), title, status, assignee };
    const step = this.#step(asker);
    await this.#cases.tell(case_id, { type: "ADD_TASK", task, ...step }, asker);
    return { ...task, created_by: step.by, created_at: step.at, updated_at: step.at };
  }

  changeTask(case_id: string, task_id: string, patch: TaskPatch, asker: Asker): Promise<ShownTask> {
    return this.#cases.tellOn(case_id, asker, async () => {
      const now = await this.#cases.shelf.task(case_id, task_id);
      if (!now) throw new DomainError("not_found", `there is no task ${task_id}`);
      const { id, title, created_by, created_at } = now;
      const { status = now.status, assignee = now.assignee } = patch;
      const task: Task = { id, title, status, assignee };
      const step = this.#step(asker);
      const reply = { ...task, created_by, created_at, updated_at: step.at };
      return { event: { type: "CHANGE_TASK", task, ...step }, reply };
    });
  }

  async addEvidence(case_id: string, body: NewEvidence, asker: Asker): Promise<Shown<"evidence">> {
    const { name, evidence_type, sha256, storage_url = null, location = null } = body;
    const evidence = { id: this.#newId("evidence"), name, evidence_type, sha256, storage_url, location };
    const step = this.#step(asker);
    const { by: actor, at } = step;
    const steps = [{ action: "registered", location }, ...(body.custody_entries ?? [])];
    const chain = this.#ledger.begin(
      case_id,
      evidence,
      steps.map((each) => custodyOf(each, step)),
    );
    await this.#cases.tell(case_id, { type: "ADD_EVIDENCE", evidence, chain, ...step }, asker);
    const { doc } = caseAppends.addEvidence(case_id, "", { actor, at }, evidence);
    return { ...shown(doc), custody_entries: chain.map(({ entry }) => entry) };
  }

  recordCustody(case_id: string, evidence_id: string, body: NewCustody, asker: Asker): Promise<LedgerEntry> {
    return this.#cases.tellOn(case_id, asker, async () => {
      const evidence = await this.#ledger.find(case_id, evidence_id);
      const step = this.#step(asker);
      const head = await this.#ledger.next(evidence, custodyOf(body, step));
      return { event: { type: "RECORD_CUSTODY", name: evidence.name, head, ...step }, reply: head.entry };
    });
  }

  async list<P extends "observables" | "comments">(case_id: string, part: P, query: ListQuery) {
    await this.#cases.live(case_id);
    return this.#cases.shelf.list(case_id, part, query);
  }

  async tasks(case_id: string, query: ListQuery): Promise<List<ShownTask>> {
    await this.#cases.live(case_id);
    return this.#cases.shelf.tasks(case_id, query);
  }

  async evidence(case_id: string, query: ListQuery): Promise<List<Shown<"evidence">>> {
    await this.#cases.live(case_id);
    return this.#cases.shelf.evidence(case_id, query);
  }

  async verify(case_id: string, evidence_id: string): Promise<Verification> {
    await this.#cases.live(case_id);
    return this.#ledger.verify(case_id, evidence_id);
  }

  async export(case_id: string, evidence_id: string): Promise<EvidenceExport> {
    await this.#cases.live(case_id);
    return this.#ledger.export(case_id, evidence_id, isoNow(this.#desk));
  }

  #newId(kind: string): string {
    return newId(kind, this.#desk.now());
  }

  #step({ actor }: Asker): { by: string; at: string } {
    return { by: actor, at: isoNow(this.#desk) };
  }
}

function custodyOf(
  { action, purpose = null, location = null }: NewCustody,
  { by: actor, at }: { by: string; at: string },
): Custody {
  return { action, actor, purpose, location, at };
}
