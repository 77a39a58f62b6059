/** What a case holds beside its record: read in parts, or whole and kept as text per version. */
import type { Doc, Store } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import {
  type CaseParts,
  caseCollections,
  type EvidenceDoc,
  foldTasks,
  type LedgerDoc,
  type ShownTask,
  shown,
  type TaskDoc,
  withCustody,
} from "../../machines/soc/case-documents.ts";
import type { Case, CaseStatus } from "../../machines/soc/case-record.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export type CaseDetail = ShownCase & CaseParts;
export type ShownCase = Omit<Case, "deleted_by" | "status"> & { status: CaseStatus };

/** Details kept as text: the version names the content, so that a kept one is never stale. */
const keptBytes = 16 * 1024 * 1024;
const bySeq = [{ field: "seq", direction: "asc" }] as const;

type Plain = "timeline" | "observables" | "comments";

export class CaseShelf {
  readonly #store: Store;
  readonly #kept = new Map<string, { version: number; text: Buffer }>();
  #bytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The JSON of the whole case. */
  async text(record: Case): Promise<Buffer> {
    const kept = this.#kept.get(record.id);
    if (kept?.version === record.version) return kept.text;
    const text = Buffer.from(JSON.stringify(await this.detail(record)));
    this.#keep(record, text);
    return text;
  }

  async detail(record: Case): Promise<CaseDetail> {
    // Steps that were taken since the record was read are not part of this version.
    const before = (record.version + 1) * 1000;
    const all = async (collection: string): Promise<Doc[]> => {
      const where = { case_id: record.id, seq: { lt: before } };
      return (await this.#store.find(collection, { where, sort: bySeq })).items;
    };
    const { timeline, observables, comments, tasks, evidence, ledger } = caseCollections;
    const [lines, seen, said, todo, held, chain] = await Promise.all(
      [timeline, observables, comments, tasks, evidence, ledger].map(all),
    );
    return {
      ...shownCase(record),
      timeline: (lines ?? []).map(bare) as CaseParts["timeline"],
      observables: (seen ?? []).map(bare) as CaseParts["observables"],
      evidence: withCustody(held as unknown as EvidenceDoc[], chain as unknown as LedgerDoc[]),
      comments: (said ?? []).map(bare) as CaseParts["comments"],
      tasks: foldTasks(todo as unknown as TaskDoc[]),
    };
  }

  async list<P extends Plain>(
    case_id: string,
    part: P,
    query: ListQuery,
  ): Promise<List<CaseParts[P][number]>> {
    const spec = { collection: caseCollections[part], sorts: ["seq"] } as const;
    const list = await listOf(this.#store, spec, { ...query, sort: "seq" }, { case_id });
    return { ...list, items: list.items.map(bare) as CaseParts[P] };
  }

  async evidence(case_id: string, query: ListQuery): Promise<List<CaseParts["evidence"][number]>> {
    const spec = { collection: caseCollections.evidence, sorts: ["seq"] } as const;
    const list = await listOf(this.#store, spec, { ...query, sort: "seq" }, { case_id });
    const ids = list.items.map((doc) => doc.id);
    const where = { evidence_id: { in: ids } };
    const chains =
      ids.length === 0 ? [] : (await this.#store.find(caseCollections.ledger, { where, sort: bySeq })).items;
    return {
      ...list,
      items: withCustody(list.items as unknown as EvidenceDoc[], chains as unknown as LedgerDoc[]),
    };
  }

  /** A task is the newest of its documents, so the page is cut after they are folded. Tasks are only added at the end. */
  async tasks(case_id: string, { skip = 0, limit = 50, cursor }: ListQuery): Promise<List<ShownTask>> {
    const { items } = await this.#store.find(caseCollections.tasks, { where: { case_id }, sort: bySeq });
    const all = foldTasks(items as unknown as TaskDoc[]);
    const start = cursor === undefined ? skip : placeOf(cursor);
    const end = start + limit;
    const next_cursor = end < all.length ? end.toString(36) : null;
    return {
      items: all.slice(start, end),
      total: all.length,
      skip: cursor === undefined ? skip : 0,
      limit,
      next_cursor,
    };
  }

  async task(case_id: string, task_id: string): Promise<ShownTask | undefined> {
    const where = { case_id, task_id };
    const { items } = await this.#store.find(caseCollections.tasks, { where, sort: bySeq });
    return foldTasks(items as unknown as TaskDoc[])[0];
  }

  #keep(record: Case, text: Buffer): void {
    this.#bytes += text.byteLength - (this.#kept.get(record.id)?.text.byteLength ?? 0);
    this.#kept.delete(record.id);
    this.#kept.set(record.id, { version: record.version, text });
    for (const [id, old] of this.#kept) {
      if (this.#bytes <= keptBytes) return;
      this.#kept.delete(id);
      this.#bytes -= old.text.byteLength;
    }
  }
}

function placeOf(cursor: string): number {
  if (/^[0-9a-z]{1,8}$/.test(cursor)) return Number.parseInt(cursor, 36);
  throw new DomainError("invalid_input", "the cursor does not belong to this list", { field: "cursor" });
}

/** Of a live case; a deleted one is never shown. */
export function shownCase({ deleted_by: _, ...record }: Case): ShownCase {
  return record as ShownCase;
}

function bare(doc: Doc): unknown {
  return shown(doc as unknown as Parameters<typeof shown>[0]);
}
