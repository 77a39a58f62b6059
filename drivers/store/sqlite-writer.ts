import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { ReaderJob, ThreadHelpers } from "./sqlite-reader.ts";
import type { Schema } from "./sqlite-schema.ts";

/** A document on its way to a table; `words` is null where the collection has none. */
export type Row = [table: string, id: string, body: string, words: string | null];

export type WriterJob =
  | ReaderJob
  | { op: "get"; table: string; id: string }
  | { op: "insert"; rows: Row[] }
  | { op: "commit"; row: Row; version: number; append: Row[] }
  | { op: "delete"; table: string; id: string; version: number | null; words: boolean }
  | { op: "close" };

export interface WriterData {
  file: string;
  schema: Schema;
}

/**
 * The one writing connection. What arrives while a commit is being synced goes into the next one.
 * Runs in a thread of its own from its source text, so it may use nothing but its arguments: a worker
 * that loads TypeScript itself costs 11 MB and 30 ms more.
 */
export function runWriter(
  Database: typeof DatabaseSync,
  port: MessagePort,
  receive: typeof receiveMessageOnPort,
  { wordsOfDoc: wordsOf, searchesIn, pick }: ThreadHelpers,
  { file, schema }: WriterData,
): void {
  type Call = { n: number; job: WriterJob };
  const statements = new Map<string, StatementSync>();
  const db = new Database(file, { timeout: 2_000 });
  db.exec(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-4000; PRAGMA journal_size_limit=16000000",
  );
  // As much as the log may keep: a page that is written often is then copied to the database less often.
  db.exec("PRAGMA wal_autocheckpoint=4000");
  migrate();
  // A request may wait behind one batch and then in the next, and is to be refused within two seconds.
  db.exec("PRAGMA busy_timeout=500");
  const search = searchesIn(db, pick);
  port.postMessage({ ready: true });
  port.on("message", (calls: Call[]) => {
    // biome-ignore lint/suspicious/noAssignInExpressions: drains what came in during the last sync
    for (let more: { message: Call[] } | undefined; (more = receive(port)); ) calls.push(...more.message);
    flush(calls);
  });

  function flush(calls: Call[]): void {
    const reads = calls.filter(({ job }) => isRead(job));
    if (reads.length > 0) port.postMessage(reads.map(attempt));
    const writes = calls.filter(({ job }) => !isRead(job) && job.op !== "close");
    if (writes.length > 0) port.postMessage(write(writes));
    const close = calls.find(({ job }) => job.op === "close");
    if (!close) return;
    db.close();
    port.postMessage([{ n: close.n, value: true }]);
    port.close();
  }

  function isRead({ op }: WriterJob): boolean {
    return op === "get" || op === "page" || op === "rows";
  }

  function write(calls: Call[]) {
    try {
      prepare("BEGIN IMMEDIATE").run();
      const done = calls.map((call) => {
        const reply = attempt(call);
        // A full disk ends the whole transaction: the rest of the batch must not run outside of it.
        if (!db.isTransaction) throw new Error("error" in reply ? reply.error : "the transaction was lost");
        return reply;
      });
      prepare("COMMIT").run();
      return done;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      return calls.map(({ n }) => ({ n, error: `not written: ${(error as Error).message}` }));
    }
  }

  /** One job; when it fails, it alone is taken back. */
  function attempt({ n, job }: Call) {
    if (job.op === "get") return guarded(n, () => select(job.table, job.id));
    if (job.op === "page" || job.op === "rows") return guarded(n, () => search(job));
    return guarded(n, () => {
      prepare("SAVEPOINT job").run();
      try {
        const value = perform(job);
        prepare("RELEASE job").run();
        return value;
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK TO job; RELEASE job");
        throw error;
      }
    });
  }

  function guarded(n: number, work: () => unknown) {
    try {
      return { n, value: work() };
    } catch (error) {
      // 2067 and 1555: a unique index and a primary key; whatever else fails is a defect or a broken disk.
      const { errcode, message } = error as Error & { errcode?: number };
      return errcode === 2067 || errcode === 1555 ? { n, value: false } : { n, error: message };
    }
  }

  function perform(job: WriterJob): unknown {
    if (job.op === "insert") return job.rows.reduce((count, row) => count + Number(add(row)), 0);
    if (job.op === "delete") return remove(job.table, job.id, job.version, job.words);
    if (job.op !== "commit") throw new Error(`the writer does not know ${job.op}`);
    if (job.version === 0 ? !add(job.row) : !swap(job.row, job.version)) return false;
    for (const row of job.append) add(row);
    return true;
  }

  function select(table: string, id: string): unknown {
    const found = prepare(`SELECT version, body FROM "doc_${table}" WHERE id = ?`).get(id);
    return found ? [found.version, found.body] : null;
  }

  function add([table, id, body, words]: Row): boolean {
    const done = prepare(
      `INSERT INTO "doc_${table}" (id, version, body) VALUES (?, 1, ?) ON CONFLICT DO NOTHING`,
    ).run(id, body);
    if (done.changes === 0) return false;
    if (words !== null) index(table, done.lastInsertRowid, words);
    return true;
  }

  function swap([table, id, body, words]: Row, version: number): boolean {
    const done = prepare(
      `UPDATE "doc_${table}" SET version = version + 1, body = ? WHERE id = ? AND version = ? RETURNING n`,
    ).get(body, id, version);
    if (!done) return false;
    if (words !== null)
      prepare(`UPDATE "words_${table}" SET words = ? WHERE rowid = ?`).run(words, done.n as number);
    return true;
  }

  function remove(table: string, id: string, version: number | null, words: boolean): boolean {
    const done = prepare(
      `DELETE FROM "doc_${table}" WHERE id = ? AND version = coalesce(?, version) RETURNING n`,
    ).get(id, version);
    if (done && words) prepare(`DELETE FROM "words_${table}" WHERE rowid = ?`).run(done.n as number);
    return done !== undefined;
  }

  function index(table: string, n: number | bigint, words: string): void {
    prepare(`INSERT INTO "words_${table}" (rowid, words) VALUES (?, ?)`).run(n, words);
  }

  function prepare(text: string): StatementSync {
    const known = statements.get(text);
    if (known) return known;
    const statement = db.prepare(text);
    statements.set(text, statement);
    return statement;
  }

  function migrate(): void {
    const version = db.prepare("PRAGMA user_version").get()!.user_version as number;
    if (version > schema.migrations.length) {
      port.postMessage({ newer: version });
      throw new Error("made by a newer version");
    }
    db.exec("BEGIN IMMEDIATE");
    for (const migration of schema.migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA user_version=${schema.migrations.length}`);
    for (const { name, doc, table, indexes, words } of schema.collections) {
      db.exec(table);
      const declared = new Set(indexes.map((each) => each.name));
      const stored = db.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
      );
      for (const { name: old } of stored.all(doc))
        if (!declared.has(old as string)) db.exec(`DROP INDEX "${old}"`);
      for (const each of indexes) db.exec(each.text);
      if (words) declareWords(name, words);
    }
    db.exec("COMMIT");
  }

  /** Where the word fields changed, the words of what is stored are cut again. */
  function declareWords(collection: string, words: { table: string; text: string; fields: string }): void {
    const known = db.prepare("SELECT fields FROM word_fields WHERE collection = ?").get(collection);
    if (known?.fields === words.fields) return;
    if (known) db.exec(`DROP TABLE ${words.table}`);
    db.exec(words.text);
    db.prepare("INSERT OR REPLACE INTO word_fields VALUES (?, ?)").run(collection, words.fields);
    const insert = db.prepare(`INSERT INTO ${words.table} (rowid, words) VALUES (?, ?)`);
    const spec = { name: collection, words: JSON.parse(words.fields) as string[] };
    for (const row of db.prepare(`SELECT n, body FROM "doc_${collection}"`).iterate())
      insert.run(row.n as number, wordsOf(JSON.parse(row.body as string), spec).join(" "));
  }
}
