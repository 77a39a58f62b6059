import { orderOf } from "./cursor.ts";
import { comparing, matches, uniqueKey } from "./match.ts";
import type { CollectionSpec, Commit, Doc, Filter, NewDoc, Page, Query, Store } from "./store.ts";
import { pick, valueAt } from "./words.ts";

/** Reads another store and keeps what is written to itself: what would happen, without it happening. */
export class PreviewStore implements Store {
  readonly kind: Store["kind"];
  readonly #base: Store;
  readonly #specs: ReadonlyMap<string, CollectionSpec>;
  /** Null stands for what was deleted. */
  readonly #written = new Map<string, Map<string, Doc | null>>();

  constructor(base: Store, collections: readonly CollectionSpec[]) {
    this.#base = base;
    this.kind = base.kind;
    this.#specs = new Map(collections.map((spec) => [spec.name, spec]));
  }

  get up(): boolean {
    return this.#base.up;
  }

  get reason(): string | null {
    return this.#base.reason;
  }

  get pending(): number {
    return this.#base.pending;
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {}
  listen(): () => void {
    return () => {};
  }

  async get(collection: string, id: string): Promise<Doc | null> {
    const written = this.#written.get(collection)?.get(id);
    if (written === undefined) return this.#base.get(collection, id);
    return written && structuredClone(written);
  }

  insert(collection: string, doc: NewDoc): Promise<boolean> {
    return this.#put(collection, 0, doc);
  }

  async commit({ collection, version, doc, append = [] }: Commit): Promise<boolean> {
    if (!(await this.#put(collection, version, doc))) return false;
    for (const { collection: other, doc: more } of append) await this.#put(other, 0, more);
    return true;
  }

  async delete(collection: string, id: string, version?: number): Promise<boolean> {
    const doc = await this.get(collection, id);
    if (!doc || (version !== undefined && doc.version !== version)) return false;
    this.#keep(collection, id, null);
    return true;
  }

  async find(collection: string, query: Query = {}): Promise<Page> {
    const written = this.#written.get(collection);
    if (!written) return this.#base.find(collection, query);
    const { fields, limit, ...rest } = query;
    const more = limit === undefined ? {} : { limit: limit + written.size };
    const page = await this.#base.find(collection, { ...rest, ...more });
    const kept = page.items.filter(({ id }) => !written.has(id));
    const own = [...written.values()].filter((doc) => doc !== null && this.#matches(collection, doc, query));
    const items = [...kept, ...(own as Doc[])].sort(comparing(orderOf(query.sort))).slice(0, limit);
    const shown = (doc: Doc) => (fields ? pick(doc, ["id", "version", ...fields]) : doc) as Doc;
    return { items: items.map((doc) => structuredClone(shown(doc))), nextCursor: page.nextCursor };
  }

  async count(collection: string, filter: Filter = {}, cap?: number): Promise<number> {
    const count = await this.#base.count(collection, filter, cap);
    const changes = await this.#changes(collection, filter);
    return changes.reduce((sum, { by }) => sum + by, count);
  }

  async countBy(collection: string, field: string, filter: Filter = {}): Promise<Map<string, number>> {
    const counts = await this.#base.countBy(collection, field, filter);
    for (const { doc, by } of await this.#changes(collection, filter)) {
      const value = valueAt(doc, field) ?? null;
      if (value !== null) counts.set(String(value), (counts.get(String(value)) ?? 0) + by);
    }
    return counts;
  }

  async insertMany(collection: string, docs: readonly NewDoc[]): Promise<number> {
    let inserted = 0;
    for (const doc of docs) if (await this.#put(collection, 0, doc)) inserted += 1;
    return inserted;
  }

  async #put(collection: string, version: number, doc: NewDoc): Promise<boolean> {
    const before = await this.get(collection, doc.id);
    if ((before?.version ?? 0) !== version) return false;
    for (const { fields, unique } of this.#specs.get(collection)?.indexes ?? []) {
      const where = unique ? uniqueKey(doc, fields) : null;
      if (!where) continue;
      const { items } = await this.find(collection, { where, limit: 2 });
      if (items.some(({ id }) => id !== doc.id)) return false;
    }
    this.#keep(collection, doc.id, { ...structuredClone(doc), version: version + 1 });
    return true;
  }

  #keep(collection: string, id: string, doc: Doc | null): void {
    const written = this.#written.get(collection) ?? new Map<string, Doc | null>();
    this.#written.set(collection, written.set(id, doc));
  }

  #matches(collection: string, doc: Doc, filter: Filter): boolean {
    return matches(doc, filter, this.#specs.get(collection) ?? { name: collection });
  }

  /** What the writes here add to and take from a count of the base. */
  async #changes(collection: string, filter: Filter): Promise<{ doc: Doc; by: 1 | -1 }[]> {
    const changes: { doc: Doc; by: 1 | -1 }[] = [];
    for (const [id, doc] of this.#written.get(collection) ?? []) {
      const before = await this.#base.get(collection, id);
      if (before && this.#matches(collection, before, filter)) changes.push({ doc: before, by: -1 });
      if (doc && this.#matches(collection, doc, filter)) changes.push({ doc, by: 1 });
    }
    return changes;
  }
}
