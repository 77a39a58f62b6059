import { DomainError } from "../../machines/errors.ts";
import { Availability } from "./availability.ts";
import { orderOf, writeCursor } from "./cursor.ts";
import { behindCursor, comparing, matches, uniqueKey } from "./match.ts";
import type { CollectionSpec, Commit, Doc, Filter, NewDoc, Page, Query, Store } from "./store.ts";
import { pick, valueAt } from "./words.ts";

type Collections = ReadonlyMap<string, { spec: CollectionSpec; docs: Map<string, Doc> }>;

/** Documents that live as long as the process: the showcase of a platform without a database. */
export class MemoryStore implements Store {
  readonly kind = "sqlite";
  readonly pending = 0;
  readonly #collections: Collections;

  readonly #availability = new Availability();

  /** Another store's place makes this one a second client of the same documents. */
  constructor(collections: readonly CollectionSpec[] | MemoryStore) {
    this.#collections =
      collections instanceof MemoryStore
        ? collections.#collections
        : new Map(collections.map((spec) => [spec.name, { spec, docs: new Map() }]));
  }

  async open(): Promise<void> {
    this.#availability.rise();
  }

  async close(): Promise<void> {
    this.#availability.fall("it was closed");
  }

  get up(): boolean {
    return this.#availability.up;
  }

  get reason(): string | null {
    return this.#availability.reason;
  }

  listen(listener: (up: boolean) => void): () => void {
    return this.#availability.listen(listener);
  }

  /** Documents as another store held them, versions and all. */
  load(collection: string, docs: readonly Doc[]): void {
    for (const doc of docs) this.#of(collection).docs.set(doc.id, structuredClone(doc));
  }

  async get(collection: string, id: string): Promise<Doc | null> {
    const doc = this.#of(collection).docs.get(id);
    return doc ? structuredClone(doc) : null;
  }

  async insert(collection: string, doc: NewDoc): Promise<boolean> {
    return this.#put(collection, 0, doc);
  }

  async commit({ collection, version, doc, append = [] }: Commit): Promise<boolean> {
    if (!this.#put(collection, version, doc)) return false;
    for (const { collection: other, doc: more } of append) this.#put(other, 0, more);
    return true;
  }

  async delete(collection: string, id: string, version?: number): Promise<boolean> {
    const { docs } = this.#of(collection);
    if (version !== undefined && docs.get(id)?.version !== version) return false;
    return docs.delete(id);
  }

  async find(collection: string, query: Query = {}): Promise<Page> {
    const order = orderOf(query.sort);
    const isBehind = behindCursor(order, query.cursor);
    const found = this.#matching(collection, query).filter(isBehind).sort(comparing(order));
    const start = query.cursor === undefined ? (query.skip ?? 0) : 0;
    const end = query.limit === undefined ? found.length : start + query.limit;
    const page = found.slice(start, end);
    const nextCursor = end < found.length && page.length > 0 ? writeCursor(order, page.at(-1)!) : null;
    const { fields } = query;
    const shown = (doc: Doc) => (fields ? pick(doc, ["id", "version", ...fields]) : doc) as Doc;
    return { items: page.map((doc) => structuredClone(shown(doc))), nextCursor };
  }

  async count(collection: string, filter: Filter = {}, cap = Infinity): Promise<number> {
    return Math.min(cap, this.#matching(collection, filter).length);
  }

  async countBy(collection: string, field: string, filter: Filter = {}): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const doc of this.#matching(collection, filter)) {
      const value = valueAt(doc, field) ?? null;
      if (value !== null) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
    }
    return counts;
  }

  async insertMany(collection: string, docs: readonly NewDoc[]): Promise<number> {
    return docs.filter((doc) => this.#put(collection, 0, doc)).length;
  }

  #put(collection: string, version: number, doc: NewDoc): boolean {
    const { spec, docs } = this.#of(collection);
    if ((docs.get(doc.id)?.version ?? 0) !== version) return false;
    for (const { fields, unique } of spec.indexes ?? []) {
      const where = unique ? uniqueKey(doc, fields) : null;
      const holder = where && [...docs.values()].find((other) => matches(other, { where }, spec));
      if (holder && holder.id !== doc.id) return false;
    }
    docs.set(doc.id, { ...structuredClone(doc), version: version + 1 });
    return true;
  }

  #matching(collection: string, filter: Filter): Doc[] {
    const { spec, docs } = this.#of(collection);
    return [...docs.values()].filter((doc) => matches(doc, filter, spec));
  }

  #of(collection: string) {
    if (!this.up) throw new DomainError("unavailable", "the store is not available");
    const found = this.#collections.get(collection);
    if (!found) throw new DomainError("internal", `there is no collection ${collection}`);
    return found;
  }
}
