import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Settings, startSettings } from "../../../actors/appliance/settings.ts";
import { type RunningTree, startTree } from "../../../actors/tree.ts";
import type { Commit, Store } from "../../../drivers/store/store.ts";
import { DomainError } from "../../../machines/errors.ts";

/** A store of one record that counts its writes and fails when told to. */
function countingStore() {
  const writes: Commit[] = [];
  const state = { broken: false };
  const store = {
    get: async () => null,
    commit: async (commit: Commit) => {
      if (state.broken) throw new DomainError("unavailable", "the store is not available");
      writes.push(commit);
      return commit.version === writes.length - 1;
    },
  } as unknown as Store;
  return { store, writes, state };
}

let disk: ReturnType<typeof countingStore>;
let tree: RunningTree;
let settings: Settings;

beforeEach(async () => {
  disk = countingStore();
  const child = { id: "settings", start: startSettings(disk.store), restart: "permanent" } as const;
  const spec = { id: "root", strategy: "one_for_one", children: [child] } as const;
  tree = await startTree(spec, { log: pino({ level: "silent" }) });
  settings = tree.client("settings");
});
afterEach(() => tree.drain());

const change = (brightness: number) => settings.ask({ type: "CHANGE", patch: { brightness } });

test("changes that come during a write are stored together, and each caller hears of its own", async () => {
  const [first, second, third] = await Promise.all([
    change(1),
    change(2),
    settings.ask({ type: "CHANGE", patch: { language: "ar" } }),
  ]);
  expect(first).toMatchObject({ brightness: 1, language: "en" });
  expect(second).toMatchObject({ brightness: 2, language: "en" });
  expect(third).toMatchObject({ brightness: 2, language: "ar" });
  expect(disk.writes.map(({ doc }) => doc)).toMatchObject([
    { brightness: 1, language: "en" },
    { brightness: 2, language: "ar" },
  ]);
  expect(settings.view()).toMatchObject({ brightness: 2, language: "ar" });
});

test("changes that could not be written are refused, every one, and leave nothing behind", async () => {
  disk.state.broken = true;
  const refusals = await Promise.allSettled([change(1), change(2), change(3)]);
  expect(refusals.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  disk.state.broken = false;
  expect(await settings.ask({ type: "CHANGE", patch: { language: "ar" } })).toMatchObject({
    brightness: 200,
    language: "ar",
  });
});
