import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { minaret } from "./run-command.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "minaret-failed-start-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));
const env = () => ({
  MINARET_HOME: home,
  MINARET_LOG: "warn",
  APPLIANCE_LISTEN: "http://127.0.0.1:0",
  APPLIANCE_AUDIO: "silent",
  SOC_LISTEN: "http://127.0.0.1:0",
});

it("ends with one sentence when the second service's database is of a newer release", async () => {
  mkdirSync(join(home, "soc"));
  const db = new DatabaseSync(join(home, "soc", "store.db"));
  db.exec("PRAGMA user_version=99");
  db.close();
  const { code, err } = await minaret(["all"], env());
  expect(code).toBe(1);
  expect(err).toMatch(/^.*layout 99, which is newer than this program\n$/);
});

it("ends with the reason when an appliance cannot open its database, and buries it under nothing", async () => {
  mkdirSync(join(home, "appliance", "store.db"), { recursive: true });
  const { code, err } = await minaret(["appliance"], env());
  const lines = err
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { msg: string; crash?: object });
  expect(code).toBe(1);
  expect(lines[0]?.msg).toBe("the store is down: unable to open database file");
  expect(lines.at(-1)?.msg).toMatch(/settings: the store is not available: unable to open database file$/);
  const reports = lines.filter(({ crash }) => crash).map(({ msg }) => msg);
  expect(new Set(reports).size).toBe(reports.length);
});
