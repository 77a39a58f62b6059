import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DomainError } from "../../machines/errors.ts";
import { Availability } from "./availability.ts";
import { orderOf, writeCursor } from "./cursor.ts";
import { WorkerLink } from "./sqlite-link.ts";
import { countBySql, countSql, pageSql, type Sql } from "./sqlite-query.ts";
import { type FoundPage, type ReaderJob, runReader } from "./sqlite-reader.ts";
import { schemaOf } from "./sqlite-schema.ts";
import { type Row, runWriter, type WriterJob } from "./sqlite-writer.ts";
import type { CollectionSpec, Commit, Doc, Filter, NewDoc, Page, Query, Store } from "./store.ts";
import { wordsOfDoc } from "./words.ts";

export interface SqliteOptions {
  /** How many operations may wait at once, writes and searches each. */
  pending?: number;
  /** Searches in the thread that writes: 20 MB less, for collections so small that no search holds up a write. */
  oneThread?: boolean;
}

/** JSON documents in one SQLite file; every statement runs in a thread of its own, never on the main loop. */
export class SqliteStore implements Store {
  readonly kind = "sqlite";
  private readonly file: string;
  private readonly specs: Map<string, CollectionSpec>;
  private readonly limit: number;
  private readonly oneThread: boolean;
  private readonly availability = new Availability();
  private writer: WorkerLink<WriterJob> | null = null;
  /** Started by the first search: each thread costs 20 MB. */
  private reader: WorkerLink<ReaderJob> | null = null;
  private again: NodeJS.Timeout | undefined;
  private wanted = false;

  constructor(
    file: string,
    collections: readonly CollectionSpec[],
    { pending = 20_000, oneThread = false }: SqliteOptions = {},
  ) {
    this.file = file;
    this.limit = pending;
    this.oneThread = oneThread;
    this.specs = new Map(collections.map((spec) => [spec.name, spec]));
  }

  get up(): boolean {
    return this.availability.up;
  }

  get reason(): string | null {
    return this.availability.reason;
  }

  get pending(): number {
    return (this.writer?.pending ?? 0) + (this.reader?.pending ?? 0);
  }

  listen(listener: (up: boolean) => void): () => void {
    return this.availability.listen(listener);
  }

  async open(): Promise<void> {
    if (this.wanted) return;
    this.wanted = true;
    try {
      await this.startWriter();
    } catch (error) {
      if (error instanceof DomainError && error.code === "conflict") {
        this.wanted = false;
        throw error;
      }
      this.retry(500);
    }
  }

  async close(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.again);
    const [reader, writer] = [this.reader, this.writer];
    await reader?.close();
    await writer?.close();
    this.availability.fall("it was closed");
  }

  async get(collection: string, id: string): Promise<Doc | null> {
    const table = this.spec(collection).name;
    const found = (await this.write({ op: "get", table, id })) as [number, string] | null;
    return found && docOf(...found);
  }

  async insert(collection: string, doc: NewDoc): Promise<boolean> {
    return (await this.write({ op: "insert", rows: [this.row(collection, doc)] })) === 1;
  }

  async insertMany(collection: string, docs: readonly NewDoc[]): Promise<number> {
    if (docs.length === 0) return 0;
    return (await this.write({ op: "insert", rows: docs.map((doc) => this.row(collection, doc)) })) as number;
  }

  async commit({ collection, version, doc, append = [] }: Commit): Promise<boolean> {
    return (await this.write({
      op: "commit",
      version,
      row: this.row(collection, doc),
      append: append.map((each) => this.row(each.collection, each.doc)),
    })) as boolean;
  }

  async delete(collection: string, id: string, version?: number): Promise<boolean> {
    const spec = this.spec(collection);
    const words = Boolean(spec.words?.length);
    return (await this.write({
      op: "delete",
      table: spec.name,
      id,
      version: version ?? null,
      words,
    })) as boolean;
  }

  async find(collection: string, query: Query = {}): Promise<Page> {
    const { limit = null, skip = 0, fields = null } = query;
    const stretches = pageSql(this.spec(collection).name, query);
    const job: ReaderJob = {
      op: "page",
      stretches,
      limit,
      skip: query.cursor ? 0 : skip,
      fields: fields && ["id", ...fields],
    };
    const { rows, last } = (await this.search(job)) as FoundPage;
    const items = Array.from({ length: rows.length / 2 }, (_, n) =>
      docOf(rows[2 * n] as number, rows[2 * n + 1] as string),
    );
    return { items, nextCursor: last === null ? null : this.cursorAt(query, last, items.at(-1)!.version) };
  }

  async count(collection: string, filter: Filter = {}, cap?: number): Promise<number> {
    const [row] = await this.rows(countSql(this.spec(collection).name, filter, cap));
    return row![0] as number;
  }

  async countBy(collection: string, field: string, filter: Filter = {}): Promise<Map<string, number>> {
    const rows = await this.rows(countBySql(this.spec(collection).name, field, filter));
    const isFlag = (kind: unknown) => kind === "true" || kind === "false";
    return new Map(
      rows.map(([value, kind, count]) => [String(isFlag(kind) ? kind : value), count as number]),
    );
  }

  private async startWriter(): Promise<void> {
    try {
      await this.openWriter();
    } catch (error) {
      this.availability.fall(reasonOf(error));
      throw error;
    }
  }

  private async openWriter(): Promise<void> {
    mkdirSync(dirname(this.file), { recursive: true });
    const data = { file: this.file, schema: schemaOf([...this.specs.values()]) };
    const writer = new WorkerLink<WriterJob>(runWriter, data, this.limit);
    this.writer = writer;
    await writer.ready;
    if (!this.wanted) return writer.close();
    writer.onEnd((why) => {
      this.availability.fall(why);
      if (this.wanted) this.retry(0);
    });
    this.availability.rise();
  }

  /** A broken disk is not a crash: the store is down, and goes on trying. */
  private retry(afterMs: number): void {
    this.again = setTimeout(() => {
      this.startWriter().catch(() => {
        if (this.wanted) this.retry(Math.min(5_000, Math.max(200, afterMs * 2)));
      });
    }, afterMs).unref();
  }

  private write(job: WriterJob): Promise<unknown> {
    return this.usable() ? this.writer!.call(job) : Promise.reject(this.down());
  }

  private async search(job: ReaderJob): Promise<unknown> {
    if (this.oneThread) return this.write(job);
    if (!this.usable()) throw this.down();
    if (!this.reader) {
      const reader = new WorkerLink<ReaderJob>(runReader, { file: this.file }, this.limit);
      this.reader = reader;
      reader.onEnd(() => {
        if (this.reader === reader) this.reader = null;
      });
    }
    return this.reader.call(job);
  }

  private async rows(sql: Sql): Promise<unknown[][]> {
    return (await this.search({ op: "rows", sql })) as unknown[][];
  }

  /** The reason is for the log: a client is not told where a database lies. */
  private down(): DomainError {
    const cause = new Error(this.reason ?? "it was closed");
    return new DomainError("unavailable", "the store is not available", { cause });
  }

  private usable(): boolean {
    return this.wanted && this.availability.up;
  }

  private spec(collection: string): CollectionSpec {
    const spec = this.specs.get(collection);
    if (!spec) throw new TypeError(`no collection ${collection} was declared`);
    return spec;
  }

  private row(collection: string, doc: NewDoc): Row {
    const spec = this.spec(collection);
    const words = spec.words?.length ? wordsOfDoc(doc, spec).join(" ") : null;
    return [spec.name, doc.id, JSON.stringify({ ...doc, version: undefined }), words];
  }

  private cursorAt(query: Query, body: string, version: number): string {
    return writeCursor(orderOf(query.sort), { ...JSON.parse(body), version });
  }
}

/** What is behind an error says more than that the thread ended. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function docOf(version: number, body: string): Doc {
  const doc = JSON.parse(body) as Doc;
  doc.version = version;
  return doc;
}
