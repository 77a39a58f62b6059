import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MongoStore } from "../../../drivers/store/mongodb.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import { describeWithMongo, startMongo, type TestMongo } from "../../mongo-server/mongo-server.ts";
import { collections, storeContract } from "./contract.ts";

describeWithMongo("MongoDB", () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  }, 180_000);
  afterAll(() => mongo?.stop());

  describe("the contract", () => storeContract(() => openStore(mongo.url, collections)));

  describe("a process that died in the middle of a commit", () => {
    let client: MongoClient;
    const pending = [{ collection: "notes", doc: { _id: "a/2", version: 1, text: "left" } }];
    const leave = async (id: string) => {
      const rows = client.db().collection<{ _id: string }>("alerts");
      await rows.deleteMany({});
      await client.db().collection("notes").deleteMany({});
      await rows.insertOne({ _id: id, version: 2, n: 1, "%pending": pending, "%since": Date.now() } as never);
    };
    const left = async (id: string) =>
      Object.keys((await client.db().collection<{ _id: string }>("alerts").findOne({ _id: id })) ?? {});

    beforeAll(async () => {
      client = await new MongoClient(mongo.url).connect();
    });
    afterAll(() => client.close());

    it.each<[string, (store: MongoStore) => Promise<unknown>]>([
      ["reads it", (store) => store.get("alerts", "a")],
      ["finds it", (store) => store.find("alerts")],
      ["swaps it", (store) => store.commit({ collection: "alerts", version: 2, doc: { id: "a" } })],
      ["deletes it", (store) => store.delete("alerts", "a")],
    ])("is finished by whoever %s", async (_, touch) => {
      const store = new MongoStore(mongo.url, collections);
      await store.open();
      await leave("a");
      await touch(store);
      expect(await store.get("notes", "a/2")).toEqual({ id: "a/2", version: 1, text: "left" });
      expect(await left("a")).not.toContain("%pending");
      await store.close();
    });

    it("is finished at the next start when nobody touches it", async () => {
      await leave("b");
      const store = new MongoStore(mongo.url, collections);
      await store.open();
      expect(await store.get("notes", "a/2")).toMatchObject({ text: "left" });
      expect(await left("b")).toEqual(["_id", "version", "n"]);
      await store.close();
    });

    it("had copied them already: nothing is written twice", async () => {
      const store = new MongoStore(mongo.url, collections);
      await store.open();
      await leave("a");
      await store.insert("notes", { id: "a/2", text: "copied before" });
      expect(await store.get("alerts", "a")).toEqual({ id: "a", n: 1, version: 2 });
      expect(await store.get("notes", "a/2")).toMatchObject({ text: "copied before" });
      await store.close();
    });
  });

  it("takes on word fields and unique keys that were declared later", async () => {
    const before = new MongoStore(mongo.url, [{ name: "grown" }]);
    await before.open();
    await before.insertMany("grown", [
      { id: "a", title: "first light" },
      { id: "b", hash: "h" },
    ]);
    await before.close();
    const after = new MongoStore(mongo.url, [{ ...collections[0]!, name: "grown" }]);
    await after.open();
    expect((await after.find("grown", { words: ["light"] })).items).toHaveLength(1);
    expect(await after.insert("grown", { id: "c", hash: "h" })).toBe(false);
    await after.close();
  });

  it("refuses a database of a newer layout and says so", async () => {
    const client = await new MongoClient(`${mongo.url}_newer`).connect();
    await client
      .db()
      .collection<{ _id: string }>("minaret")
      .insertOne({ _id: "layout", version: 99, derived: {} } as never);
    await client.close();
    const store = new MongoStore(`${mongo.url}_newer`, collections);
    await expect(store.open()).rejects.toThrow("layout 99");
    await store.close();
  });
});

describeWithMongo(
  "a MongoDB that goes away",
  () => {
    it("is unavailable within two seconds, and back without a restart of ours", async () => {
      const mongo = await startMongo();
      const store = new MongoStore(mongo.url, collections);
      await store.open();
      await store.insert("alerts", { id: "a" });
      await mongo.restart();
      await until(store, true);
      expect(await store.get("alerts", "a")).toMatchObject({ id: "a" });

      await mongo.kill();
      const asked = performance.now();
      const answers = await Promise.allSettled([
        store.get("alerts", "a"),
        store.insert("alerts", { id: "b" }),
        store.find("alerts"),
        store.commit({ collection: "alerts", version: 1, doc: { id: "a" } }),
      ]);
      // The driver's own patience is 30 s; ours is two, and the machine may be busy.
      expect(performance.now() - asked).toBeLessThan(4_000);
      for (const answer of answers) expect(answer).toMatchObject({ reason: { code: "unavailable" } });
      await until(store, false);
      await mongo.restart();
      await until(store, true);
      expect(await store.insert("alerts", { id: "c" })).toBe(true);
      await store.close();
      await mongo.stop();
    }, 60_000);
  },
  { killable: true },
);

describe("a MongoDB that was never there", () => {
  it("is down after open, refuses at once, and closes", async () => {
    const store = new MongoStore("mongodb://127.0.0.1:1/minaret", collections);
    await store.open();
    expect(store.up).toBe(false);
    await expect(store.get("alerts", "a")).rejects.toMatchObject({ code: "unavailable" });
    await store.close();
  });
});

async function until(store: MongoStore, wanted: boolean): Promise<void> {
  if (store.up === wanted) return;
  await new Promise<void>((resolve) => {
    const stop = store.listen((up) => {
      if (up !== wanted) return;
      stop();
      resolve();
    });
  });
}
