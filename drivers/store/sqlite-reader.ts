import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { Sql } from "./sqlite-query.ts";
import type { pick, wordsOfDoc } from "./words.ts";

export type ReaderJob =
  | { op: "page"; stretches: Sql[]; limit: number | null; skip: number; fields: readonly string[] | null }
  | { op: "rows"; sql: Sql };

/** What the threads are given beside their own text. */
export interface ThreadHelpers {
  searchesIn: typeof searchesIn;
  pick: typeof pick;
  wordsOfDoc: typeof wordsOfDoc;
}

/** Documents as [version, body, …], and the last one of a page that has more behind it. */
export interface FoundPage {
  rows: (string | number)[];
  last: string | null;
}

/**
 * Searches on a connection of their own, each on the newest snapshot of the log.
 * Runs in a thread of its own from its source text, like the writer.
 */
export function runReader(
  Database: typeof DatabaseSync,
  port: MessagePort,
  _receive: typeof receiveMessageOnPort,
  { searchesIn, pick }: ThreadHelpers,
  { file }: { file: string },
): void {
  const db = new Database(file, { readOnly: true, timeout: 2_000 });
  db.exec("PRAGMA cache_size=-8000; PRAGMA temp_store=MEMORY");
  const search = searchesIn(db, pick);
  port.postMessage({ ready: true });
  port.on("message", (calls: { n: number; job: ReaderJob | { op: "close" } }[]) => {
    for (const { n, job } of calls) {
      try {
        port.postMessage([{ n, value: job.op === "close" ? close() : search(job) }]);
      } catch (error) {
        port.postMessage([{ n, error: (error as Error).message }]);
      }
      if (job.op === "close") port.close();
    }
  });

  function close(): boolean {
    db.close();
    return true;
  }
}

/** How a thread searches; sent as text too, so it may use nothing but its arguments. */
export function searchesIn(db: DatabaseSync, picked: typeof pick): (job: ReaderJob) => unknown {
  const statements = new Map<string, StatementSync>();
  return (job) => (job.op === "page" ? page(job) : prepare(job.sql.text).all(...job.sql.values));

  function page({ stretches, limit, skip, fields }: Extract<ReaderJob, { op: "page" }>): FoundPage {
    const found: unknown[][] = [];
    for (const { text, values } of stretches) {
      const room = limit === null ? -1 : limit + 1 - found.length;
      if (room === 0) break;
      for (const row of prepare(text).all(...values, room, skip)) found.push(row as never);
    }
    const more = limit !== null && found.length > limit;
    if (more) found.pop();
    const last = more ? ((found.at(-1)?.[1] as string | undefined) ?? null) : null;
    const shown = (body: string) => (fields ? JSON.stringify(picked(JSON.parse(body), fields)) : body);
    return { rows: found.flatMap(([version, body]) => [version as number, shown(body as string)]), last };
  }

  /** Filters are made of few shapes; beyond 200 of them the oldest is compiled again. */
  function prepare(text: string): StatementSync {
    const known = statements.get(text);
    if (known) return known;
    const statement = db.prepare(text);
    statement.setReturnArrays(true);
    if (statements.size >= 200) statements.delete(statements.keys().next().value!);
    statements.set(text, statement);
    return statement;
  }
}
