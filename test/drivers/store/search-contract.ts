import { beforeEach, describe, expect, it } from "vitest";
import type { NewDoc, Query, Store } from "../../../drivers/store/store.ts";

/** What every store promises of its searches; the store is given empty. */
export function searchContract(given: () => Store): void {
  const ids = async (query: Query) => (await given().find("alerts", query)).items.map(({ id }) => id);
  const fill = (docs: NewDoc[]) => given().insertMany("alerts", docs);

  describe("conditions", () => {
    beforeEach(() =>
      fill([
        { id: "a", n: 1, s: "alpha", flag: true, tags: ["x", 1], site: { name: "north" } },
        { id: "b", n: 2, s: "alphabet", flag: false, tags: ["y"], site: { name: "south" } },
        { id: "c", n: 10, s: "beta", flag: 1, tags: [], site: { name: null } },
        { id: "d", n: "2", s: "al.ha", flag: null, tags: "x" },
        { id: "e" },
      ]),
    );

    it.each<[string, Query["where"], string]>([
      ["equality", { s: "alpha" }, "a"],
      ["equality of numbers, not of texts like them", { n: 2 }, "b"],
      ["true, which is not 1", { flag: true }, "a"],
      ["1, which is not true", { flag: 1 }, "c"],
      ["false", { flag: false }, "b"],
      ["null, which is also what is missing", { flag: null }, "de"],
      ["a dotted field", { "site.name": "north" }, "a"],
      ["a dotted field that is null or missing", { "site.name": null }, "cde"],
      ["in", { s: { in: ["alpha", "beta", "none"] } }, "ac"],
      ["in with null, true and 1", { flag: { in: [null, true, 1] } }, "acde"],
      ["in nothing", { s: { in: [] } }, ""],
      ["gt among numbers only", { n: { gt: 1 } }, "bc"],
      ["a closed range", { n: { gte: 1, lte: 2 } }, "ab"],
      ["an open range", { n: { gt: 1, lt: 10 } }, "b"],
      ["a range of texts leaves numbers out", { n: { lt: "3" } }, "d"],
      ["a range without bounds", { n: {} }, "abcde"],
      ["a prefix", { s: { prefix: "alph" } }, "ab"],
      ["a prefix with signs of a pattern", { s: { prefix: "al." } }, "d"],
      ["a prefix of the id", { id: { prefix: "c" } }, "c"],
      ["not, also where the field is missing", { s: { not: "alpha" } }, "bcde"],
      ["not null", { s: { not: null } }, "abcd"],
      ["not true", { flag: { not: true } }, "bcde"],
      ["an array that has a value", { tags: { has: "y" } }, "b"],
      ["an array that has a number", { tags: { has: 1 } }, "a"],
      ["the version", { version: 1, n: 10 }, "c"],
      ["several at once", { s: { prefix: "al" }, n: { gt: 1 } }, "b"],
    ])("hold for %s", async (_, where, expected) => {
      expect((await ids({ where: where! })).join("")).toBe(expected);
      expect(await given().count("alerts", { where: where! })).toBe(expected.length);
    });
  });

  describe("words", () => {
    beforeEach(() =>
      fill([
        { id: "a", title: "Beacon to evil.example", notes: ["seen twice"], rank: 1, status: "new" },
        { id: "b", title: "BEACON, again", notes: ["إنذار مبكر"], rank: 2, status: "old" },
        { id: "c", title: "quiet", notes: "beacons", rank: 3, status: "new" },
      ]),
    );

    it.each<[string, string[], string]>([
      ["one word, however it is written", ["beaCON"], "ab"],
      ["all words, in any field", ["beacon", "twice"], "a"],
      ["the parts of a name", ["evil.example"], "a"],
      ["Arabic", ["مبكر"], "b"],
      ["no word that is only part of another", ["beac"], ""],
      ["nothing for punctuation alone", ["!!"], ""],
      ["nothing for the store's own signs", ['" OR *'], ""],
    ])("find %s", async (_, words, expected) => {
      expect((await ids({ words })).join("")).toBe(expected);
    });

    it("mix with other conditions and follow swaps and deletions", async () => {
      expect(await ids({ words: ["beacon"], where: { status: "old" } })).toEqual(["b"]);
      await given().commit({ collection: "alerts", version: 1, doc: { id: "a", title: "renamed" } });
      await given().delete("alerts", "b");
      expect(await ids({ words: ["beacon"] })).toEqual([]);
      expect(await ids({ words: ["renamed"] })).toEqual(["a"]);
    });
  });

  describe("a page", () => {
    beforeEach(() =>
      fill(
        Array.from({ length: 20 }, (_, n) => ({
          id: `a${String(n).padStart(2, "0")}`,
          rank: n % 5 === 0 ? null : n % 3,
          site: { name: `s${n % 2}` },
        })),
      ),
    );

    const walk = async (query: Query, between: (page: number) => Promise<unknown> = async () => {}) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 40; page++) {
        const { items, nextCursor } = await given().find("alerts", {
          ...query,
          ...(cursor ? { cursor } : {}),
        });
        seen.push(...items.map(({ id }) => id));
        if (nextCursor === null) return seen;
        cursor = nextCursor;
        await between(page);
      }
      throw new Error("the pages do not end");
    };

    it.each<[string, NonNullable<Query["sort"]>]>([
      ["by id", []],
      ["by id, last first", [{ field: "id", direction: "desc" }]],
      ["by a field with ties and gaps", [{ field: "rank", direction: "asc" }]],
      ["by a field with ties and gaps, last first", [{ field: "rank", direction: "desc" }]],
      [
        "by two fields",
        [
          { field: "site.name", direction: "desc" },
          { field: "rank", direction: "asc" },
        ],
      ],
    ])("after page %s gives every document once, in one order", async (_, sort) => {
      const whole = await ids({ sort });
      expect(new Set(whole).size).toBe(20);
      for (const limit of [1, 3, 20]) expect(await walk({ sort, limit })).toEqual(whole);
    });

    it("breaks ties by id in the direction of the last key", async () => {
      const down = await ids({ sort: [{ field: "rank", direction: "desc" }], where: { rank: 1 } });
      expect(down).toEqual(down.toSorted().toReversed());
      const up = await ids({ sort: [{ field: "rank", direction: "asc" }], where: { rank: 1 } });
      expect(up).toEqual(up.toSorted());
    });

    it("does not drift while others insert before and behind it", async () => {
      const before = await ids({ sort: [{ field: "rank", direction: "desc" }] });
      const seen = await walk({ sort: [{ field: "rank", direction: "desc" }], limit: 3 }, (page) =>
        fill([
          { id: `z${page}`, rank: 99 },
          { id: `0${page}`, rank: -page },
        ]),
      );
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => id.startsWith("a"))).toEqual(before);
    });

    it("skips and limits", async () => {
      expect(await ids({ skip: 2, limit: 3 })).toEqual(["a02", "a03", "a04"]);
      expect((await given().find("alerts", { skip: 18, limit: 2 })).nextCursor).toBeNull();
      expect(await ids({ limit: 0 })).toEqual([]);
    });

    it("refuses a cursor of another order, and one that is not a cursor", async () => {
      const { nextCursor } = await given().find("alerts", { limit: 2 });
      const sort = [{ field: "rank", direction: "asc" }] as const;
      await expect(async () => given().find("alerts", { sort, cursor: nextCursor! })).rejects.toMatchObject({
        code: "invalid_input",
        field: "cursor",
      });
      await expect(async () => given().find("alerts", { cursor: "%%%" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    it("shows only the fields that were asked for, with id and version", async () => {
      const { items } = await given().find("alerts", { fields: ["site.name"], limit: 1 });
      expect(items).toEqual([{ id: "a00", version: 1, site: { name: "s0" } }]);
    });
  });

  describe("counts", () => {
    it("stop at the cap", async () => {
      await fill(Array.from({ length: 12 }, (_, n) => ({ id: `a${n}`, status: n < 8 ? "new" : "old" })));
      expect(await given().count("alerts")).toBe(12);
      expect(await given().count("alerts", { where: { status: "new" } }, 5)).toBe(5);
      expect(await given().count("alerts", { where: { status: "old" } }, 5)).toBe(4);
    });

    it("group by a field and leave out what has none", async () => {
      const values = ["new", "new", "old", null, undefined, 3, true];
      await fill(values.map((status, n) => ({ id: `a${n}`, status, site: { name: `s${n % 2}` } })));
      const expected = new Map([
        ["new", 2],
        ["old", 1],
        ["3", 1],
        ["true", 1],
      ]);
      expect(await given().countBy("alerts", "status")).toEqual(expected);
      expect(await given().countBy("alerts", "site.name", { where: { status: "new" } })).toEqual(
        new Map([
          ["s0", 1],
          ["s1", 1],
        ]),
      );
    });
  });
}
