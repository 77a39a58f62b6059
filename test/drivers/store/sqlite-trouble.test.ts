import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { SqliteStore } from "../../../drivers/store/sqlite.ts";

const home = mkdtempSync(join(tmpdir(), "minaret-trouble-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Writes batches of which each holds a document too large for the thread's cache, so that it fails in the middle. */
const writes = (file: string) => `
  import { SqliteStore } from ${JSON.stringify(new URL("../../../drivers/store/sqlite.ts", import.meta.url).href)};
  const store = new SqliteStore(${JSON.stringify(file)}, [{ name: "alerts" }]);
  await store.open();
  const told = await Promise.all(Array.from({ length: 32 }, async (_, n) => {
    const doc = { id: String(n), text: "x".repeat(n % 8 === 4 ? 6_000_000 : 10) };
    return store.insert("alerts", doc).then(() => [doc.id], ({ code, message }) => [doc.id, code, message]);
  }));
  console.log(JSON.stringify({ told, up: store.up, read: await store.get("alerts", "nobody") }));
  await store.close();`;

it("a disk that is full: what was refused is not there, all else is, and reading goes on", () => {
  const [file, script] = [join(home, "full.db"), join(home, "full.mjs")];
  writeFileSync(script, writes(file));
  // Files may grow to 8 MB: the first large document fits, and the log is full somewhere behind it.
  const run = spawnSync("sh", ["-c", `ulimit -f 16000; exec "${process.execPath}" "${script}"`]);
  const { told, up, read } = JSON.parse(run.stdout.toString()) as {
    told: [id: string, code?: string, message?: string][];
    up: boolean;
    read: null;
  };
  const db = new DatabaseSync(file, { readOnly: true });
  const there = db.prepare("SELECT id FROM doc_alerts").all();
  db.close();
  const refused = told.filter(([, code]) => code !== undefined);
  const kept = told.filter(([, code]) => code === undefined).map(([id]) => id);
  expect(there.map(({ id }) => String(id)).toSorted()).toEqual(kept.toSorted());
  expect(refused.length).toBeGreaterThan(0);
  for (const [, code, message] of refused)
    expect([code, message]).toEqual(["unavailable", expect.stringMatching(/not written: (disk|database)/)]);
  expect([up, read]).toEqual([true, null]);
});

it("a file that is no database is left as it is, and named as the reason", async () => {
  const file = join(home, "letter.db");
  writeFileSync(file, "dear reader, ".repeat(1_000));
  const store = new SqliteStore(file, [{ name: "alerts" }]);
  await store.open();
  expect([store.up, store.reason]).toEqual([false, "file is not a database"]);
  await store.close();
});

it("a database that another program holds is down, and up when it lets go", async () => {
  const file = join(home, "held.db");
  const other = new DatabaseSync(file);
  other.exec("CREATE TABLE t (x); BEGIN EXCLUSIVE");
  const store = new SqliteStore(file, [{ name: "alerts" }]);
  const back = new Promise<void>((resolve) => void store.listen((up) => up && resolve()));
  await store.open();
  expect([store.up, store.reason]).toEqual([false, "database is locked"]);
  other.close();
  await back;
  expect(await store.insert("alerts", { id: "a" })).toBe(true);
  await store.close();
});

it("a database of a newer release is named, and refused each time it is opened", async () => {
  const file = join(home, "newer.db");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA user_version=99");
  db.close();
  const store = new SqliteStore(file, [{ name: "alerts" }]);
  const sentence = `${file} is of layout 99, which is newer than this program`;
  await expect(store.open()).rejects.toMatchObject({ code: "conflict", message: sentence });
  await expect(store.open()).rejects.toMatchObject({ code: "conflict" });
  await store.close();
});
