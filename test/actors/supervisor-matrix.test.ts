import { describe, expect, it } from "vitest";
import type { Restart, Strategy } from "../../actors/supervisor-spec.ts";
import { child, type Diary, plant, stateOf, tell } from "./supervisor-subject.ts";

const strategies: Strategy[] = ["one_for_one", "one_for_all", "rest_for_one"];
const restarts: Restart[] = ["permanent", "transient", "temporary"];
const ends = [
  { type: "END", words: "ends normally", abnormal: false },
  { type: "BOOM", words: "ends abnormally", abnormal: true },
] as const;

/** What the diary holds after `b` of `a b c` has ended and is started again. */
const again: Record<Strategy, { words: string; diary: Diary }> = {
  one_for_one: { words: "is restarted alone", diary: ["-b", "+b"] },
  one_for_all: {
    words: "is restarted with all its siblings, stopped from last to first",
    diary: ["-b", "-c", "-a", "+a", "+b", "+c"],
  },
  rest_for_one: {
    words: "is restarted with those started after it",
    diary: ["-b", "-c", "+b", "+c"],
  },
};

const matrix = strategies.flatMap((strategy) =>
  restarts.flatMap((restart) =>
    ends.map((end) => {
      const back = restart === "permanent" || (restart === "transient" && end.abnormal);
      const outcome = back ? again[strategy].words : "is not restarted, and its siblings stay";
      const title = `${strategy}: a ${restart} child that ${end.words} ${outcome}`;
      return { title, strategy, restart, end, back };
    }),
  ),
);

describe("the restart matrix", () => {
  it.each(matrix)("$title", async ({ strategy, restart, end, back }) => {
    const diary: Diary = [];
    const { tree } = await plant([child(diary, "a"), child(diary, "b", { restart }), child(diary, "c")], {
      strategy,
    });
    expect(diary.splice(0)).toEqual(["+a", "+b", "+c"]);
    await tell(tree, "b", end.type);
    expect(diary).toEqual(back ? again[strategy].diary : ["-b"]);
    expect(stateOf(tree, "a")).toBe("running");
    expect(stateOf(tree, "b")).toBe(back ? "running" : "stopped");
    expect(stateOf(tree, "c")).toBe("running");
    await tree.drain();
  });
});

describe("siblings of a child that is restarted", () => {
  it.each(["one_for_all", "rest_for_one"] as const)(
    "%s: a temporary sibling that was stopped with its group does not come back",
    async (strategy) => {
      const diary: Diary = [];
      const { tree } = await plant([child(diary, "a"), child(diary, "b", { restart: "temporary" })], {
        strategy,
      });
      diary.length = 0;
      await tell(tree, "a", "BOOM");
      expect(diary).toEqual(["-a", "-b", "+a"]);
      expect(stateOf(tree, "b")).toBe("stopped");
      await tree.drain();
    },
  );

  it.each(["one_for_all", "rest_for_one"] as const)(
    "%s: a transient sibling that had ended normally comes back with its group",
    async (strategy) => {
      const diary: Diary = [];
      const { tree } = await plant([child(diary, "a"), child(diary, "b", { restart: "transient" })], {
        strategy,
      });
      await tell(tree, "b", "END");
      expect(stateOf(tree, "b")).toBe("stopped");
      diary.length = 0;
      await tell(tree, "a", "BOOM");
      expect(diary).toEqual(["-a", "+a", "+b"]);
      await tree.drain();
    },
  );

  it("rest_for_one: those started before the child that fell stay as they are", async () => {
    const diary: Diary = [];
    const { tree } = await plant([child(diary, "a"), child(diary, "b")], { strategy: "rest_for_one" });
    diary.length = 0;
    await tell(tree, "b", "BOOM");
    expect(diary).toEqual(["-b", "+b"]);
    await tree.drain();
  });
});
