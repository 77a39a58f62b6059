import { describe, expect, it } from "vitest";
import { MemoryStore } from "../../../drivers/store/memory.ts";
import { PreviewStore } from "../../../drivers/store/preview.ts";
import { collections, storeContract } from "./contract.ts";

describe("the store in memory", () => {
  const shared = new MemoryStore(collections);
  storeContract(async () => {
    const client = new MemoryStore(shared);
    await client.open();
    return client;
  });
});

describe("a preview", () => {
  const filled = async () => {
    const base = new MemoryStore(collections);
    await base.open();
    await base.insertMany("alerts", [
      { id: "a", status: "new", hash: "h" },
      { id: "b", status: "new" },
      { id: "c", status: "old" },
    ]);
    return { base, preview: new PreviewStore(base, collections) };
  };

  it("sees what it wrote, and the store behind it never does", async () => {
    const { base, preview } = await filled();
    await preview.commit({
      collection: "alerts",
      version: 1,
      doc: { id: "a", status: "old" },
      append: [{ collection: "notes", doc: { id: "n", of: "a" } }],
    });
    await preview.delete("alerts", "b");
    await preview.insert("alerts", { id: "d", status: "old" });
    const old = await preview.find("alerts", { where: { status: "old" }, limit: 10 });
    expect(old.items.map(({ id }) => id)).toEqual(["a", "c", "d"]);
    expect(await preview.count("alerts", { where: { status: "new" } })).toBe(0);
    expect(await preview.countBy("alerts", "status")).toEqual(
      new Map([
        ["new", 0],
        ["old", 3],
      ]),
    );
    expect(await base.countBy("alerts", "status")).toEqual(
      new Map([
        ["new", 2],
        ["old", 1],
      ]),
    );
    expect(await base.count("notes")).toBe(0);
  });

  it("refuses what the store behind it would refuse", async () => {
    const { preview } = await filled();
    expect(await preview.insert("alerts", { id: "a" })).toBe(false);
    expect(await preview.insert("alerts", { id: "x", hash: "h" })).toBe(false);
    expect(await preview.commit({ collection: "alerts", version: 7, doc: { id: "a" } })).toBe(false);
  });
});
