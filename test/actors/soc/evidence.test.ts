import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyExport } from "../../../actors/soc/evidence.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import type { Doc, Store } from "../../../drivers/store/store.ts";
import { analyst, openPlatformStore, Process } from "./platform.ts";

const keys = new MemoryKeys();
const disk = { name: "disk.img", evidence_type: "disk", sha256: "ab".repeat(32) };
let store: Store;
let close: () => Promise<void>;
let soc: Process;
let case_id: string;
let evidence_id: string;

beforeEach(async () => {
  ({ store, close } = await openPlatformStore());
  soc = new Process(store, keys);
  ({ id: case_id } = await soc.cases.create({ title: "One", severity: "low" }, analyst));
  ({ id: evidence_id } = await soc.file.addEvidence(case_id, disk, analyst));
});
afterEach(async () => {
  await soc.stop();
  await close();
});

const custody = (action: string) => soc.file.recordCustody(case_id, evidence_id, { action }, analyst);

/** Somebody with the database in hand. */
async function tamper(seq: number, change: (doc: Doc) => void): Promise<void> {
  const doc = (await store.get("evidence_ledger", `${evidence_id}/${seq}`)) as Doc;
  const { version, ...rest } = structuredClone(doc);
  change(rest as Doc);
  expect(await store.commit({ collection: "evidence_ledger", version, doc: rest })).toBe(true);
}

describe("evidence", () => {
  it("keeps one chain, also when twenty people record custody at once in two processes", async () => {
    const other = new Process(store, keys);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? soc : other).file.recordCustody(case_id, evidence_id, { action: `handover ${n}` }, analyst),
      ),
    );
    await other.stop();
    const result = await soc.file.verify(case_id, evidence_id);
    expect(result).toMatchObject({ valid: true, entries: 21, first_bad_seq: null, reason: null });
    const { items } = await soc.cases.shelf.evidence(case_id, {});
    expect(items[0]?.custody_entries.map((entry) => entry.seq)).toEqual(
      Array.from({ length: 21 }, (_, n) => n + 1),
    );
  });

  it("shows a changed entry, a dropped tail and a chain that was written anew", async () => {
    await custody("transferred");
    await custody("returned");
    await tamper(2, (doc) => {
      (doc.entry as { actor: string }).actor = "somebody else";
    });
    expect(await soc.file.verify(case_id, evidence_id)).toMatchObject({ valid: false, first_bad_seq: 2 });
    await store.delete("evidence_ledger", `${evidence_id}/3`);
    await store.delete("evidence_ledger", `${evidence_id}/2`);
    const cut = await soc.file.verify(case_id, evidence_id);
    expect(cut).toMatchObject({ valid: false, entries: 1, first_bad_seq: 2 });
    const other = await soc.file.addEvidence(case_id, { ...disk, name: "other" }, analyst);
    await tamper(1, (doc) => {
      doc.entry = { ...other.custody_entries[0], evidence_id };
    });
    expect((await soc.file.verify(case_id, evidence_id)).valid).toBe(false);
  });

  it("is found only in its own case", async () => {
    const { id } = await soc.cases.create({ title: "Two", severity: "low" }, analyst);
    await expect(soc.file.verify(id, evidence_id)).rejects.toMatchObject({ code: "not_found" });
    await expect(soc.file.recordCustody(id, evidence_id, { action: "x" }, analyst)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("is exported so that a stranger can check it without the platform", async () => {
    await custody("transferred");
    const bundle = await soc.file.export(case_id, evidence_id);
    const text = JSON.stringify(bundle);
    expect(verifyExport(text)).toMatchObject({ valid: true, entries: 2 });
    expect(verifyExport(text, keys.publicKey).valid).toBe(true);
    expect(verifyExport(text, new MemoryKeys().publicKey).valid).toBe(false);
    expect(verifyExport(text.replace("transferred", "returned")).first_bad_seq).toBe(2);
    const swapped = { ...bundle, evidence: { ...bundle.evidence, sha256: "cd".repeat(32) } };
    expect(verifyExport(JSON.stringify(swapped)).valid).toBe(false);
    const cut = { ...bundle, custody_entries: bundle.custody_entries.slice(0, 1) };
    expect(verifyExport(JSON.stringify(cut)).first_bad_seq).toBe(2);
    for (const nonsense of [
      "",
      "null",
      "{}",
      "[]",
      '{"format":"minaret-evidence/1","custody_entries":[null]}',
    ]) {
      expect(verifyExport(nonsense).valid).toBe(false);
    }
  });

  it("has its head in the audit stream with every entry, in the same commit", async () => {
    await custody("transferred");
    const { items } = await store.find("audit", { where: { object: `evidence/${evidence_id}` } });
    const heads = items.map((doc) => doc.detail as { seq: number; hash: string; signature: string });
    expect(new Set(heads.map((head) => head.seq))).toEqual(new Set([1, 2]));
    for (const { hash, signature } of heads) expect(keys.isSigned(hash, signature)).toBe(true);
  });
});
