import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkAudit } from "../../../actors/soc/audit-check.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import type { Doc, Store } from "../../../drivers/store/store.ts";
import { analyst, openPlatformStore, Process } from "./platform.ts";

const keys = new MemoryKeys();
let store: Store;
let close: () => Promise<void>;
let soc: Process;

beforeEach(async () => {
  ({ store, close } = await openPlatformStore());
  soc = new Process(store, keys);
});
afterEach(async () => {
  await soc.stop();
  await close();
});

const raise = (process: Process, title: string) =>
  process.alerts.create({ title, source: "siem", severity: "low" }, analyst);

async function change(collection: string, id: string, edit: (doc: Doc) => void): Promise<void> {
  const { version, ...doc } = structuredClone((await store.get(collection, id)) as Doc);
  edit(doc as Doc);
  expect(await store.commit({ collection, version, doc })).toBe(true);
}

describe("the audit stream", () => {
  it("has one entry per change with who, what and in which request", async () => {
    const { alert } = await raise(soc, "one");
    await soc.alerts.change(alert.id, { status: "triaged" }, { actor: "analyst", cause: "req-2" });
    const { items, total } = await soc.desk.audit.list({}, { object: `alert/${alert.id}` });
    expect(total).toBe(2);
    expect(items.find((entry) => entry.request_id === "req-2")).toMatchObject({
      actor: "analyst",
      action: "alert.TRIAGE",
      result: "ok",
      detail: { from: "new", to: "triaged", version: 2 },
      link: null,
    });
  });

  it("chains every stored entry once, while others are being written", async () => {
    const writing = Promise.all(Array.from({ length: 200 }, (_, n) => raise(soc, `alert ${n % 50}`)));
    await soc.desk.audit.seal();
    await writing;
    await soc.desk.audit.seal();
    const [check] = await checkAudit(store, keys);
    expect(check).toMatchObject({ valid: true, entries: await store.count("audit") });
    const { items } = await soc.desk.audit.list({ limit: 200 });
    expect(items.every((entry) => entry.link !== null)).toBe(true);
  });

  it("shows a changed entry, a dropped one and a cut chain", async () => {
    for (const title of ["one", "two", "three"]) await raise(soc, title);
    await soc.desk.audit.seal();
    const { chain } = soc.desk.audit;
    const [, second] = (await store.find("audit_links", { sort: [{ field: "seq", direction: "asc" }] }))
      .items;
    const id = second?.entry_id as string;
    const original = (await store.get("audit", id)) as Doc;
    await change("audit", id, (doc) => {
      doc.actor = "somebody else";
    });
    expect((await checkAudit(store, keys))[0]).toMatchObject({ valid: false, first_bad_seq: 2 });
    await change("audit", id, (doc) => {
      doc.actor = original.actor;
    });
    expect((await checkAudit(store, keys))[0]?.valid).toBe(true);
    await store.delete("audit", id);
    expect((await checkAudit(store, keys))[0]).toMatchObject({ valid: false, first_bad_seq: 2 });
    await store.delete("audit_links", `${chain}/4`);
    expect((await checkAudit(store, keys))[0]?.valid).toBe(false);
  });

  it("is taken over by the next process where one died before chaining, and names its end", async () => {
    await raise(soc, "one");
    await soc.desk.audit.seal();
    await raise(soc, "two");
    const next = new Process(store, keys);
    next.clock = () => Date.now() + 60_000;
    await next.desk.audit.seal();
    await next.desk.audit.seal();
    const checks = await checkAudit(store, keys);
    expect(checks.map((check) => check.valid)).toEqual([true, true]);
    expect(checks.reduce((sum, check) => sum + check.entries, 0)).toBe(await store.count("audit"));
    // The end of the first chain is cut off together with the entry: only the second chain knows of it.
    const { chain } = soc.desk.audit;
    const { items } = await store.find("audit_links", {
      where: { chain },
      sort: [{ field: "seq", direction: "desc" }],
      limit: 1,
    });
    await store.delete("audit_links", items[0]?.id as string);
    await change("audit_links", `${chain}/${(items[0]?.seq as number) - 1}`, (doc) => {
      doc.signature = keys.sign(doc.hash as string);
    });
    const cut = (await checkAudit(store, keys)).find((check) => check.chain === chain);
    expect(cut).toMatchObject({ valid: false, reason: "a later chain saw another end of this one" });
    await next.stop();
  });
});
