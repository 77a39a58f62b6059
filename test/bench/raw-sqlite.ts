import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A table of JSON texts, written one at a time, each synced before the next. */
export function openRaw(folder: string) {
  const db = new DatabaseSync(join(folder, "raw.db"));
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  db.exec("CREATE TABLE docs (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT");
  const insert = db.prepare("INSERT INTO docs (id, body) VALUES (?, ?)");
  let count = 0;
  return {
    /** Milliseconds for one write, of so many in a row. */
    msPerWrite(writes: number, docOf: (n: number) => object): number {
      const began = performance.now();
      for (let done = 0; done < writes; done++) {
        count += 1;
        insert.run(`doc-${count}`, JSON.stringify(docOf(count)));
      }
      return (performance.now() - began) / writes;
    },
    close: () => db.close(),
  };
}
