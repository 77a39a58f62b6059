import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { NoStore } from "../../../drivers/store/no-store.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import { SqliteStore } from "../../../drivers/store/sqlite.ts";
import { backupSqlite } from "../../../drivers/store/sqlite-backup.ts";
import type { WorkerLink } from "../../../drivers/store/sqlite-link.ts";
import { describeWith } from "../../real-part.ts";
import { collections, storeContract } from "./contract.ts";

const home = mkdtempSync(join(tmpdir(), "minaret-store-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const fresh = async (file: string, specs = collections, options = {}) => {
  const store = new SqliteStore(join(home, file), specs, options);
  await store.open();
  return store;
};
const linkOf = (store: SqliteStore, name: "writer" | "reader") =>
  Reflect.get(store, name) as WorkerLink<{ op: string }>;
const upAgain = (store: SqliteStore) =>
  new Promise<void>((resolve) => {
    const stop = store.listen((up) => {
      if (!up) return;
      stop();
      resolve();
    });
  });

describe("SQLite", () => storeContract(() => fresh("contract.db")));
describe("SQLite in one thread", () =>
  storeContract(() => fresh("one-thread.db", collections, { oneThread: true })));

describe("the SQLite store", () => {
  it("answers what was pending as unavailable when its writer dies, and comes back by itself", async () => {
    const store = await fresh("crash.db");
    await store.insert("alerts", { id: "a" });
    const back = upAgain(store);
    const pending = store.insert("alerts", { id: "b" });
    void linkOf(store, "writer").worker.terminate();
    await expect(pending).rejects.toMatchObject({ code: "unavailable" });
    await back;
    expect(await store.get("alerts", "a")).toMatchObject({ id: "a" });
    await store.close();
  });

  it("starts a new reader after one died", async () => {
    const store = await fresh("reader.db");
    await store.insert("alerts", { id: "a" });
    expect(await store.count("alerts")).toBe(1);
    await linkOf(store, "reader").worker.terminate();
    expect(await store.count("alerts")).toBe(1);
    await store.close();
  });

  it("refuses what exceeds its bound as overloaded, and does the rest", async () => {
    const store = await fresh("bound.db", collections, { pending: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 15 }, (_, n) => store.insert("alerts", { id: `a${n}` })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(results.at(-1)).toMatchObject({ reason: { code: "overloaded" } });
    expect(await store.count("alerts")).toBe(10);
    await store.close();
  });

  it("takes back a commit that fails in the middle, and that one alone", async () => {
    const store = await fresh("savepoint.db");
    const append = [{ collection: "notes", doc: { id: null as never } }];
    const results = await Promise.allSettled([
      store.insert("alerts", { id: "before" }),
      store.commit({ collection: "alerts", version: 0, doc: { id: "broken" }, append }),
      store.insert("alerts", { id: "after" }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await store.find("alerts")).items.map(({ id }) => id)).toEqual(["after", "before"]);
    await store.close();
  });

  it("finishes what was asked before it closes", async () => {
    const store = await fresh("drain.db");
    const writes = Array.from({ length: 50 }, (_, n) => store.insert("alerts", { id: `a${n}` }));
    await store.close();
    expect(await Promise.all(writes)).toEqual(Array(50).fill(true));
  });

  it("is down, not broken, where its file cannot be opened, and comes up when it can", async () => {
    const path = join(home, "taken", "store.db");
    const blocker = new DatabaseSync(join(home, "taken"));
    blocker.exec("CREATE TABLE t (x)");
    blocker.close();
    const store = new SqliteStore(path, collections);
    await store.open();
    expect(store.up).toBe(false);
    await expect(store.get("alerts", "a")).rejects.toMatchObject({ code: "unavailable" });
    const back = upAgain(store);
    rmSync(join(home, "taken"));
    await back;
    expect(await store.insert("alerts", { id: "a" })).toBe(true);
    await store.close();
  });

  it("takes on indexes and word fields that were declared later, for what is already stored", async () => {
    const before = await fresh("grown.db", [{ name: "alerts", indexes: [{ fields: ["old"] }] }]);
    await before.insertMany("alerts", [
      { id: "a", title: "first light" },
      { id: "b", hash: "h" },
    ]);
    await before.close();
    const after = await fresh("grown.db");
    expect((await after.find("alerts", { words: ["light"] })).items).toHaveLength(1);
    expect(await after.insert("alerts", { id: "c", hash: "h" })).toBe(false);
    await after.close();
    const db = new DatabaseSync(join(home, "grown.db"), { readOnly: true });
    const names = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'index'")
      .all()
      .map(({ name }) => String(name));
    expect(names.some((name) => name.includes("old"))).toBe(false);
    db.close();
  });

  it("finds a page far behind by the index alone", async () => {
    const store = await fresh("plan.db");
    await store.insertMany(
      "alerts",
      Array.from({ length: 50 }, (_, n) => ({ id: `a${n}`, status: "new", rank: n })),
    );
    const sort = [{ field: "rank", direction: "desc" }] as const;
    const { nextCursor } = await store.find("alerts", { where: { status: "new" }, sort, limit: 5 });
    const { pageSql } = await import("../../../drivers/store/sqlite-query.ts");
    const db = new DatabaseSync(join(home, "plan.db"), { readOnly: true });
    for (const sql of pageSql("alerts", { where: { status: "new" }, sort, cursor: nextCursor! })) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql.text}`).all(...sql.values, 5, 0);
      const detail = plan.map((row) => row.detail).join("; ");
      expect(detail).toMatch(/USING INDEX/);
      expect(detail).not.toMatch(/TEMP B-TREE|SCAN/);
    }
    db.close();
    await store.close();
  });

  it("is copied whole while it is written to", async () => {
    const store = await fresh("live.db");
    await store.insertMany(
      "alerts",
      Array.from({ length: 500 }, (_, n) => ({ id: `a${n}`, title: `word${n}` })),
    );
    const writes = Array.from({ length: 200 }, (_, n) => store.insert("alerts", { id: `b${n}` }));
    await backupSqlite(join(home, "live.db"), join(home, "copy.db"));
    await Promise.all(writes);
    await store.close();
    const copy = await fresh("copy.db");
    expect((await copy.find("alerts", { words: ["word499"] })).items.map(({ id }) => id)).toEqual(["a499"]);
    await copy.close();
  });
});

describeWith(["strace"], "a lone durable write", () => {
  it("is synced to disk at least once before it is acknowledged", () => {
    const script = `import { SqliteStore } from ${JSON.stringify(new URL("../../../drivers/store/sqlite.ts", import.meta.url).href)};
      const store = new SqliteStore(${JSON.stringify(join(home, "synced.db"))}, [{ name: "alerts" }]);
      await store.open();
      for (let n = 0; n < 40; n++) await store.insert("alerts", { id: String(n) });
      process.kill(process.pid, "SIGKILL");`;
    const file = join(home, "writes.mjs");
    writeFileSync(file, script);
    const trace = join(home, "trace.txt");
    spawnSync("strace", ["-f", "-o", trace, "-e", "trace=fsync,fdatasync", process.execPath, file]);
    const syncs = readFileSync(trace, "utf8").match(/f(data)?sync\(/g) ?? [];
    expect(syncs.length).toBeGreaterThanOrEqual(40);
  });
});

describe("openStore", () => {
  it("takes a path for SQLite and none for no store at all", async () => {
    const store = await openStore(join(home, "deep", "er", "x.db"), collections);
    expect(store).toMatchObject({ kind: "sqlite", up: true });
    await store.close();
    const none = await openStore("none", collections);
    expect(none).toBeInstanceOf(NoStore);
    expect(none.up).toBe(false);
    await expect(none.get("alerts", "a")).rejects.toMatchObject({ code: "unavailable" });
  });
});
