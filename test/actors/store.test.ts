import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startStore } from "../../actors/store.ts";
import { startTree } from "../../actors/tree.ts";
import { openLog } from "../../drivers/log/log.ts";
import { NoStore } from "../../drivers/store/no-store.ts";
import { SqliteStore } from "../../drivers/store/sqlite.ts";
import type { Store } from "../../drivers/store/store.ts";

let home: string;
let said: string[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "minaret-store-child-"));
  said = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function plant(store: Store) {
  const log = openLog("info", { write: (line) => void said.push(JSON.parse(line).msg) });
  const child = { id: "store", start: startStore(store), restart: "permanent", essential: true } as const;
  return startTree({ id: "root", strategy: "one_for_one", children: [child] }, { log });
}

it("is a child that runs although its database cannot be opened, says why, and says when it can", async () => {
  const folder = join(home, "folder");
  writeFileSync(folder, "a file stands where the folder should be");
  const store = new SqliteStore(join(folder, "store.db"), [{ name: "notes" }]);
  const tree = await plant(store);
  expect(tree.status()).toMatchObject([{ path: "store", state: "running", restarts: 0 }]);
  expect(said).toEqual([expect.stringMatching(/^the store is down: .*(EEXIST|ENOTDIR)/)]);
  await expect(store.get("notes", "a")).rejects.toMatchObject({
    code: "unavailable",
    message: "the store is not available",
    cause: { message: expect.stringContaining("mkdir") },
  });
  const back = new Promise<void>((resolve) => void store.listen((up) => up && resolve()));
  rmSync(folder);
  await back;
  expect(said.slice(1)).toEqual(["the store is up"]);
  expect(store.reason).toBeNull();
  await tree.drain();
  expect(store.up).toBe(false);
});

it("says nothing of a store that is not wanted", async () => {
  const tree = await plant(new NoStore());
  await tree.drain();
  expect(said).toEqual([]);
});
