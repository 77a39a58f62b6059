import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Advance,
  afterFailure,
  type ListedSurah,
  neighbour,
  stepAfter,
} from "../../../machines/appliance/hifz.ts";

const listed = (...numbers: number[]): ListedSurah[] =>
  numbers.map((number) => ({ number, path: `${number}.mp3` }));
const range = (from: number, to: number, repeat = 1, pauseS = 0): Advance => ({
  mode: "hifz_ab",
  repeat,
  pauseS,
  ab: { from, to },
});
const list = listed(1, 2, 5, 7, 9);

describe("the step after a track", () => {
  test.each<[string, Advance, number, number, object]>([
    ["off stops", { mode: "off" }, 2, 1, { kind: "stop" }],
    ["repeat_one starts again", { mode: "repeat_one" }, 2, 1, { kind: "again", gapMs: 0 }],
    ["continuous skips what is missing", { mode: "continuous" }, 2, 1, { kind: "move", to: list[2] }],
    ["continuous stops after the last", { mode: "continuous" }, 9, 1, { kind: "stop" }],
    [
      "a repetition waits first",
      { mode: "hifz_repeat", repeat: 3, pauseS: 4 },
      2,
      2,
      { kind: "again", gapMs: 4_000 },
    ],
    [
      "the last repetition is the last",
      { mode: "hifz_repeat", repeat: 3, pauseS: 4 },
      2,
      3,
      { kind: "stop" },
    ],
    [
      "no target is endless",
      { mode: "hifz_repeat", repeat: 0, pauseS: 0 },
      2,
      999,
      { kind: "again", gapMs: 0 },
    ],
    ["a range goes on inside", range(2, 7), 2, 1, { kind: "move", to: list[2] }],
    ["a range goes round", range(2, 7, 1, 2), 7, 1, { kind: "move", to: list[1], gapMs: 2_000 }],
    ["a range repeats first", range(2, 7, 2), 2, 1, { kind: "again", gapMs: 0 }],
    [
      "a surah outside goes to the beginning",
      range(4, 8, 1, 9),
      1,
      1,
      { kind: "move", to: list[2], gapMs: 0 },
    ],
    ["an empty range stops", range(3, 4), 1, 1, { kind: "stop" }],
  ])("%s", (_, advance, current, done, step) => {
    expect(stepAfter(advance, current, done, list)).toMatchObject(step);
  });

  test("a drill over a range visits every surah that is there, in order, for ever", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 114 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        numbers,
        fc.integer({ min: 1, max: 114 }),
        fc.integer({ min: 0, max: 30 }),
        (all, from, width) => {
          const card = listed(...all.sort((a, b) => a - b));
          const inside = card.filter(({ number }) => number >= from && number <= from + width);
          fc.pre(inside.length > 0);
          let current = inside[0]!.number;
          const heard = [...inside, ...inside].map(() => {
            const step = stepAfter(range(from, from + width), current, 1, card);
            if (step.kind !== "move") throw new Error("the drill ended");
            current = step.to.number;
            return current;
          });
          const round = inside.map(({ number }) => number);
          expect(heard).toEqual([...round.slice(1), ...round, round[0]]);
        },
      ),
    );
  });
});

test("after a failure only a mode that moves on has somewhere to go", () => {
  expect(afterFailure({ mode: "continuous" }, 2, list)).toBe(list[2]);
  expect(afterFailure({ mode: "continuous" }, 9, list)).toBeNull();
  expect(afterFailure({ mode: "repeat_one" }, 2, list)).toBeNull();
  expect(afterFailure({ mode: "hifz_repeat", repeat: 0, pauseS: 0 }, 2, list)).toBeNull();
  expect(afterFailure(range(2, 5), 5, list)).toBe(list[1]);
  expect(afterFailure(range(5, 5), 5, list)).toBeNull();
});

test("next and previous end at the ends of the list, and of the range in a drill", () => {
  const off: Advance = { mode: "off" };
  expect([neighbour(off, 2, 1, list), neighbour(off, 2, -1, list)]).toEqual([list[2], list[0]]);
  expect([neighbour(off, 9, 1, list), neighbour(off, 1, -1, list)]).toEqual([null, null]);
  expect([neighbour(range(2, 5), 5, 1, list), neighbour(range(2, 5), 2, -1, list)]).toEqual([null, null]);
  expect(neighbour(range(2, 5), 9, -1, list)).toBe(list[2]);
});
