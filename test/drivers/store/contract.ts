import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CollectionSpec, NewDoc, Query, Store } from "../../../drivers/store/store.ts";
import { searchContract } from "./search-contract.ts";

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

  searchContract(() => store);

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
