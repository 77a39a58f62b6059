import type { Db, Document } from "mongodb";
import { DomainError } from "../../machines/errors.ts";
import { orderOf, stretchesBehind, writeCursor } from "./cursor.ts";
import { MongoConnection } from "./mongodb-connection.ts";
import { type Held, hold, pathOf, release } from "./mongodb-doc.ts";
import { insertNew, isTaken, PendingDocs } from "./mongodb-pending.ts";
import { filterOf, sortOf } from "./mongodb-query.ts";
import { prepareCollections } from "./mongodb-schema.ts";
import type { CollectionSpec, Commit, Doc, Filter, NewDoc, Page, Query, Store } from "./store.ts";
import { pick } from "./words.ts";

const searchMs = 15_000;
const sweepMs = 15_000;

export interface MongoOptions {
  /** How many operations may wait at once. */
  pending?: number;
  /** How long one may take before it is refused; a request is to be answered within two seconds. */
  answerMs?: number;
}

/** JSON documents in MongoDB; relies on single-document atomicity and unique indexes only. */
export class MongoStore implements Store {
  readonly kind = "mongodb";
  private readonly connection: MongoConnection;
  private readonly specs: Map<string, CollectionSpec>;
  private readonly left = new PendingDocs();
  private readonly limit: number;
  private readonly answerMs: number;
  private waiting = 0;
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    address: string,
    collections: readonly CollectionSpec[],
    { pending = 20_000, answerMs = 1_900 }: MongoOptions = {},
  ) {
    this.connection = new MongoConnection(address);
    this.limit = pending;
    this.answerMs = answerMs;
    this.specs = new Map(collections.map((spec) => [spec.name, spec]));
  }

  get up(): boolean {
    return this.connection.up;
  }

  get reason(): string | null {
    return this.connection.reason;
  }

  get pending(): number {
    return this.waiting;
  }

  listen(listener: (up: boolean) => void): () => void {
    return this.connection.listen(listener);
  }

  async open(): Promise<void> {
    await this.connection.open(async (db) => {
      await prepareCollections(db, [...this.specs.values()]);
      await this.sweep(db, Date.now());
    });
    this.sweeper ??= setInterval(() => {
      void this.reach((db) => this.sweep(db, Date.now() - sweepMs), searchMs).catch(() => {});
    }, sweepMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    this.sweeper = undefined;
    await this.left.drained();
    await this.connection.close();
  }

  get(collection: string, id: string): Promise<Doc | null> {
    const { name } = this.spec(collection);
    return this.reach(async (db) => {
      const held = await db.collection<Held>(name).findOne({ _id: id });
      const whole = held?.["%pending"] ? await this.left.settled(db, name, id, held) : held;
      return whole && release(whole);
    });
  }

  insert(collection: string, doc: NewDoc): Promise<boolean> {
    return this.commit({ collection, version: 0, doc });
  }

  insertMany(collection: string, docs: readonly NewDoc[]): Promise<number> {
    const spec = this.spec(collection);
    return this.reach(
      (db) =>
        insertNew(
          db,
          spec.name,
          docs.map((doc) => hold(doc, 1, spec)),
        ),
      searchMs,
    );
  }

  async commit({ collection, version, doc, append = [] }: Commit): Promise<boolean> {
    const spec = this.spec(collection);
    const held = hold(doc, version + 1, spec);
    if (append.length > 0) {
      held["%pending"] = append.map((each) => {
        const target = this.spec(each.collection);
        return { collection: target.name, doc: hold(each.doc, 1, target) };
      });
      held["%since"] = Date.now();
    }
    return this.reach(async (db) => {
      const won = await this.swap(db, spec.name, version, held);
      // The record is durable and carries the rest: a failure from here on is finished by whoever reads it.
      if (won && append.length > 0) await this.left.copyOut(db, spec.name, held).catch(() => {});
      return won;
    });
  }

  delete(collection: string, id: string, version?: number): Promise<boolean> {
    const { name } = this.spec(collection);
    const match = { _id: id, ...(version === undefined ? {} : { version }) };
    return this.reach((db) =>
      this.withNothingLeft(db, name, id, async () => {
        const rows = db.collection<Held>(name);
        return (await rows.deleteOne({ ...match, "%pending": { $exists: false } })).deletedCount === 1;
      }),
    );
  }

  find(collection: string, query: Query = {}): Promise<Page> {
    const { name } = this.spec(collection);
    const order = orderOf(query.sort);
    const stretches = stretchesBehind(order, query.cursor);
    return this.reach(async (db) => {
      const found: Held[] = [];
      for (const stretch of stretches) {
        const room = query.limit === undefined ? 0 : query.limit + 1 - found.length;
        if (query.limit !== undefined && room === 0) break;
        const rows = db.collection<Held>(name).find(filterOf(query, stretch)).sort(sortOf(order)).limit(room);
        if (query.skip && !query.cursor) rows.skip(query.skip);
        found.push(...(await rows.toArray()));
      }
      const more = query.limit !== undefined && found.length > query.limit;
      if (more) found.pop();
      const carrying = found.filter((held) => held["%pending"]);
      await Promise.all(carrying.map((held) => this.left.settled(db, name, held._id, held)));
      const items = found.map(release);
      const nextCursor = more && items.length > 0 ? writeCursor(order, items.at(-1)!) : null;
      const { fields } = query;
      return { items: fields ? items.map((doc) => projected(doc, fields)) : items, nextCursor };
    }, searchMs);
  }

  count(collection: string, filter: Filter = {}, cap?: number): Promise<number> {
    const { name } = this.spec(collection);
    if (cap === 0) return Promise.resolve(0);
    const limit = cap === undefined ? {} : { limit: cap };
    return this.reach((db) => db.collection<Held>(name).countDocuments(filterOf(filter), limit), searchMs);
  }

  countBy(collection: string, field: string, filter: Filter = {}): Promise<Map<string, number>> {
    const { name } = this.spec(collection);
    return this.reach(async (db) => {
      const groups = await db
        .collection<Held>(name)
        .aggregate<Document>([
          { $match: filterOf(filter, [{ field, is: "present", value: null }]) },
          { $group: { _id: `$${pathOf(field)}`, count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(groups.map(({ _id, count }) => [String(_id), count as number]));
    }, searchMs);
  }

  /** Swaps only a record that carries nothing; one that does is relieved of it first. */
  private async swap(db: Db, name: string, version: number, held: Held): Promise<boolean> {
    const rows = db.collection<Held>(name);
    try {
      if (version === 0) return (await rows.insertOne(held as never)).acknowledged;
      const { _id, ...rest } = held;
      return await this.withNothingLeft(db, name, _id, async () => {
        const done = await rows.replaceOne({ _id, version, "%pending": { $exists: false } }, rest);
        return done.matchedCount === 1;
      });
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  private async withNothingLeft(
    db: Db,
    name: string,
    id: string,
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    await this.left.settledHere(name, id);
    if (await work()) return true;
    const held = await db.collection<Held>(name).findOne({ _id: id });
    if (!held?.["%pending"]) return false;
    await this.left.settled(db, name, id, held);
    return work();
  }

  private async sweep(db: Db, before: number): Promise<void> {
    for (const name of this.specs.keys()) await this.left.sweep(db, name, before);
  }

  private async reach<T>(work: (db: Db) => Promise<T>, limitMs = this.answerMs): Promise<T> {
    if (this.waiting >= this.limit)
      throw new DomainError("overloaded", "too many operations wait for the store");
    this.waiting += 1;
    try {
      return await this.connection.within(limitMs, work);
    } finally {
      this.waiting -= 1;
    }
  }

  private spec(collection: string): CollectionSpec {
    const spec = this.specs.get(collection);
    if (!spec) throw new TypeError(`no collection ${collection} was declared`);
    return spec;
  }
}

const projected = (doc: Doc, fields: readonly string[]): Doc => ({
  ...pick(doc, fields),
  id: doc.id,
  version: doc.version,
});
