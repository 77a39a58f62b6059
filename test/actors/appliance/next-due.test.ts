import { expect, it } from "vitest";
import { nextDueIn } from "../../../actors/appliance/next-due.ts";
import type { Tree } from "../../../actors/client.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

/** A tree of which only views are asked; a missing part throws as a real one does. */
function treeOf(views: Record<string, unknown>): Tree {
  const view = (path: string) => () => {
    if (!(path in views)) throw new Error("unavailable");
    return views[path];
  };
  return { client: (path) => ({ view: view(path) }) as never };
}

it("the earlier of the next schedule and the next adhan counts", () => {
  const schedules = [{ next_run: null }, { next_run: "2026-03-01T15:00:00+02:00" }];
  const prayer = { next_adhan: now / 1000 + 1_800 };
  expect(nextDueIn(treeOf({ "appliance/scheduler": schedules, "appliance/prayer": prayer }), now)).toBe(
    1_800_000,
  );
  expect(nextDueIn(treeOf({ "appliance/scheduler": schedules }), now)).toBe(3_600_000);
});

it("what is past, disabled or missing is not waited for", () => {
  const schedules = [{ next_run: "2026-03-01T11:00:00Z" }, { next_run: null }];
  const views = { "appliance/scheduler": schedules, "appliance/prayer": { next_adhan: null } };
  expect(nextDueIn(treeOf(views), now)).toBeNull();
  expect(nextDueIn(treeOf({}), now)).toBeNull();
});
