import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CollectionSpec, NewDoc, Query, Store } from "../../../drivers/store/store.ts";

export const collections: CollectionSpec[] = [
  {
    name: "alerts",
    indexes: [{ fields: ["status", "rank"] }, { fields: ["hash"], unique: true }, { fields: ["site.name"] }],
    words: ["title", "notes"],
  },
  { name: "seats", indexes: [{ fields: ["hall", "row"], unique: true }] },
  { name: "notes", indexes: [{ fields: ["of"] }] },
];

/** What every store promises; `open` gives a fresh client of the same database at each call. */
export function storeContract(open: () => Promise<Store>): void {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    for (const { name } of collections)
      for (const { id } of (await store.find(name)).items) await store.delete(name, id);
  });

  const ids = async (query: Query, from = store) =>
    (await from.find("alerts", query)).items.map(({ id }) => id);
  const fill = (docs: NewDoc[]) => store.insertMany("alerts", docs);

  describe("one document", () => {
    it("is given back as it was put in, with version 1", async () => {
      const doc = {
        id: "a",
        text: "نور\u{1F319}",
        list: [1, { deep: null }],
        flag: false,
        n: 1.5,
        at: 1.7e12,
      };
      expect(await store.insert("alerts", doc)).toBe(true);
      expect(await store.get("alerts", "a")).toEqual({ ...doc, version: 1 });
    });

    it("keeps names that mean something to a database", async () => {
      const odd = {
        $gt: 1,
        "a.b": 2,
        "100%": 3,
        _id: 4,
        _bsontype: "Long",
        "%2e": 5,
        nested: { $set: { "x.y": 6 } },
      };
      await store.insert("alerts", { id: "odd", odd });
      expect((await store.get("alerts", "odd"))?.odd).toEqual(odd);
    });

    it("is null when there is none", async () => {
      expect(await store.get("alerts", "nobody")).toBeNull();
    });

    it("is not inserted twice under one id", async () => {
      await store.insert("alerts", { id: "a", n: 1 });
      expect(await store.insert("alerts", { id: "a", n: 2 })).toBe(false);
      expect((await store.get("alerts", "a"))?.n).toBe(1);
    });

    it("is deleted only in the version that was named", async () => {
      await store.insert("alerts", { id: "a" });
      expect(await store.delete("alerts", "a", 2)).toBe(false);
      expect(await store.delete("alerts", "a", 1)).toBe(true);
      expect(await store.delete("alerts", "a")).toBe(false);
      expect(await store.get("alerts", "a")).toBeNull();
    });
  });

  describe("a unique key", () => {
    it("is refused a second time, on insert, commit and swap", async () => {
      expect(await store.insert("alerts", { id: "a", hash: "h" })).toBe(true);
      expect(await store.insert("alerts", { id: "b", hash: "h" })).toBe(false);
      expect(await store.commit({ collection: "alerts", version: 0, doc: { id: "c", hash: "h" } })).toBe(
        false,
      );
      await store.insert("alerts", { id: "d", hash: "other" });
      expect(await store.commit({ collection: "alerts", version: 1, doc: { id: "d", hash: "h" } })).toBe(
        false,
      );
      expect(await store.get("alerts", "d")).toMatchObject({ hash: "other", version: 1 });
    });

    it("leaves documents alone in which a part is missing or null", async () => {
      const docs = [
        { id: "a", hall: "x" },
        { id: "b", hall: "x" },
        { id: "c", hall: "x", row: null },
      ];
      for (const doc of docs) expect(await store.insert("seats", doc)).toBe(true);
      expect(await store.insert("seats", { id: "d", hall: "x", row: 1 })).toBe(true);
      expect(await store.insert("seats", { id: "e", hall: "x", row: 1 })).toBe(false);
      expect(await store.insert("seats", { id: "f", hall: "y", row: 1 })).toBe(true);
    });

    it("is free again when its document is swapped or deleted", async () => {
      await store.insert("alerts", { id: "a", hash: "h" });
      expect(await store.commit({ collection: "alerts", version: 1, doc: { id: "a" } })).toBe(true);
      expect(await store.insert("alerts", { id: "b", hash: "h" })).toBe(true);
      await store.delete("alerts", "b");
      expect(await store.insert("alerts", { id: "c", hash: "h" })).toBe(true);
    });

    it("has one winner among many at once", async () => {
      const tries = Array.from({ length: 40 }, (_, n) =>
        store.insert("alerts", { id: `a${n}`, hash: "one" }),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });
  });

  describe("a commit", () => {
    const note = (id: string, text = "first") => ({ collection: "notes", doc: { id, of: "a", text } });

    it("swaps the record and appends in one go", async () => {
      expect(
        await store.commit({
          collection: "alerts",
          version: 0,
          doc: { id: "a", n: 1 },
          append: [note("a/1")],
        }),
      ).toBe(true);
      expect(
        await store.commit({
          collection: "alerts",
          version: 1,
          doc: { id: "a", n: 2 },
          append: [note("a/2")],
        }),
      ).toBe(true);
      expect(await store.get("alerts", "a")).toEqual({ id: "a", n: 2, version: 2 });
      expect(await store.count("notes", { where: { of: "a" } })).toBe(2);
    });

    it("that lost its swap writes nothing at all", async () => {
      await store.insert("alerts", { id: "a", n: 1 });
      for (const version of [0, 2, 7])
        expect(
          await store.commit({ collection: "alerts", version, doc: { id: "a", n: 9 }, append: [note("x")] }),
        ).toBe(false);
      expect(await store.get("alerts", "a")).toEqual({ id: "a", n: 1, version: 1 });
      expect(await store.get("notes", "x")).toBeNull();
    });

    it("that meets a taken unique key writes nothing at all", async () => {
      await store.insert("alerts", { id: "a", hash: "h" });
      expect(
        await store.commit({
          collection: "alerts",
          version: 0,
          doc: { id: "b", hash: "h" },
          append: [note("x")],
        }),
      ).toBe(false);
      expect(await store.get("notes", "x")).toBeNull();
    });

    it("leaves an appended document alone that is there already", async () => {
      await store.insert("notes", { id: "a/1", text: "kept" });
      expect(
        await store.commit({
          collection: "alerts",
          version: 0,
          doc: { id: "a" },
          append: [note("a/1", "lost")],
        }),
      ).toBe(true);
      expect((await store.get("notes", "a/1"))?.text).toBe("kept");
    });

    it("does not swap a record that does not exist", async () => {
      expect(await store.commit({ collection: "alerts", version: 1, doc: { id: "ghost" } })).toBe(false);
    });

    it("does not fail because another one at the same time does", async () => {
      await store.insert("alerts", { id: "a", hash: "h" });
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          store.commit({
            collection: "alerts",
            version: 0,
            doc: { id: `n${n}`, ...(n % 3 === 0 ? { hash: "h" } : {}) },
            append: [note(`n${n}`)],
          }),
        ),
      );
      expect(results).toEqual(Array.from({ length: 30 }, (_, n) => n % 3 !== 0));
      expect(await store.count("notes")).toBe(20);
    });

    it("of eight clients on one record has exactly one winner in each round", async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, open));
      await store.insert("alerts", { id: "a", by: -1 });
      for (let version = 1; version <= 25; version++) {
        const won = await Promise.all(
          clients.map((client, by) =>
            client.commit({
              collection: "alerts",
              version,
              doc: { id: "a", by },
              append: [note(`${version}/${by}`)],
            }),
          ),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await store.get("alerts", "a")).toMatchObject({ version: version + 1, by: won.indexOf(true) });
      }
      expect(await store.count("notes")).toBe(25);
      await Promise.all(clients.map((client) => client.close()));
    });
  });

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
      expect(await store.count("alerts", { where: where! })).toBe(expected.length);
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
      await store.commit({ collection: "alerts", version: 1, doc: { id: "a", title: "renamed" } });
      await store.delete("alerts", "b");
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
        const { items, nextCursor } = await store.find("alerts", { ...query, ...(cursor ? { cursor } : {}) });
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
      expect((await store.find("alerts", { skip: 18, limit: 2 })).nextCursor).toBeNull();
      expect(await ids({ limit: 0 })).toEqual([]);
    });

    it("refuses a cursor of another order, and one that is not a cursor", async () => {
      const { nextCursor } = await store.find("alerts", { limit: 2 });
      const sort = [{ field: "rank", direction: "asc" }] as const;
      await expect(async () => store.find("alerts", { sort, cursor: nextCursor! })).rejects.toMatchObject({
        code: "invalid_input",
        field: "cursor",
      });
      await expect(async () => store.find("alerts", { cursor: "%%%" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    });

    it("shows only the fields that were asked for, with id and version", async () => {
      const { items } = await store.find("alerts", { fields: ["site.name"], limit: 1 });
      expect(items).toEqual([{ id: "a00", version: 1, site: { name: "s0" } }]);
    });
  });

  describe("counts", () => {
    it("stop at the cap", async () => {
      await fill(Array.from({ length: 12 }, (_, n) => ({ id: `a${n}`, status: n < 8 ? "new" : "old" })));
      expect(await store.count("alerts")).toBe(12);
      expect(await store.count("alerts", { where: { status: "new" } }, 5)).toBe(5);
      expect(await store.count("alerts", { where: { status: "old" } }, 5)).toBe(4);
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
      expect(await store.countBy("alerts", "status")).toEqual(expected);
      expect(await store.countBy("alerts", "site.name", { where: { status: "new" } })).toEqual(
        new Map([
          ["s0", 1],
          ["s1", 1],
        ]),
      );
    });
  });

  describe("the store", () => {
    it("inserts many, those that are new", async () => {
      await store.insert("alerts", { id: "b", hash: "h" });
      expect(await fill([{ id: "a" }, { id: "b" }, { id: "c", hash: "h" }, { id: "d" }])).toBe(2);
      expect(await ids({})).toEqual(["a", "b", "d"]);
      expect(await fill([])).toBe(0);
    });

    it("shows another client what was acknowledged to the first", async () => {
      const other = await open();
      await store.insert("alerts", { id: "a" });
      expect(await ids({}, other)).toEqual(["a"]);
      await store.commit({ collection: "alerts", version: 1, doc: { id: "a", n: 2 } });
      expect(await ids({ where: { n: 2 } }, other)).toEqual(["a"]);
      await other.close();
    });

    it("is closed twice without harm, refuses then, and can be opened again", async () => {
      const other = await open();
      await other.insert("alerts", { id: "kept" });
      await Promise.all([other.close(), other.close()]);
      await other.close();
      expect(other.up).toBe(false);
      await expect(other.get("alerts", "kept")).rejects.toMatchObject({ code: "unavailable" });
      await other.open();
      expect(other.up).toBe(true);
      expect(await other.get("alerts", "kept")).toMatchObject({ id: "kept" });
      await other.close();
    });

    it("refuses a collection that was never declared", async () => {
      await expect(async () => store.get("nowhere", "a")).rejects.toThrow("nowhere");
    });
  });
}
