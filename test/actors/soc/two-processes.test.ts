import { afterAll, beforeAll, expect, it } from "vitest";
import { checkAudit } from "../../../actors/soc/audit-check.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { describeWithMongo, startMongo, type TestMongo } from "../../mongo-server/mongo-server.ts";
import { analyst, Process, platformCollections } from "./platform.ts";

describeWithMongo("two processes on one MongoDB", () => {
  const keys = new MemoryKeys();
  let mongo: TestMongo;
  let stores: Store[];
  let one: Process;
  let two: Process;
  beforeAll(async () => {
    mongo = await startMongo();
    stores = await Promise.all([1, 2].map(() => openStore(mongo.url, platformCollections)));
    [one, two] = stores.map((store) => new Process(store, keys)) as [Process, Process];
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one, two].map((process) => process?.stop()));
    await Promise.all((stores ?? []).map((store) => store.close()));
    await mongo?.stop();
  });
  const turn = (n: number) => (n % 2 ? one : two);
  const draft = (title: string) => ({ title, source: "siem", severity: "high" as const });

  it("raise one alert between them", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => turn(n).alerts.create(draft("same"), analyst)));
    const { items, total } = await one.alerts.list({});
    expect([total, items[0]?.occurrences]).toEqual([1, 60]);
  });

  it("work the same case: nothing is lost, and the chain of custody holds", async () => {
    const { alert } = await one.alerts.create(draft("worked"), analyst);
    const { id } = await two.alerts.promote(alert.id, {}, analyst);
    const disk = { name: "disk", evidence_type: "image", sha256: "ab".repeat(32) };
    const { id: evidence } = await one.file.addEvidence(id, disk, analyst);
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        await turn(n).file.addComment(id, `comment ${n}`, analyst);
        await turn(n).file.recordCustody(id, evidence, { action: `handover ${n}` }, analyst);
      }),
    );
    for (const process of [one, two]) {
      const detail = JSON.parse(String(await process.cases.text(id)));
      expect(detail.comments).toHaveLength(10);
      expect(detail.evidence[0].custody_entries).toHaveLength(11);
      expect(detail.timeline).toHaveLength(22);
      expect(await process.file.verify(id, evidence)).toMatchObject({ valid: true, entries: 11 });
    }
    await two.cases.delete(id, analyst);
    expect(await one.alerts.get(alert.id)).toMatchObject({ status: "triaged", case_id: null });
    expect((await one.cases.list({})).total).toBe(0);
  });

  it("keep a chain of the audit stream each", async () => {
    await Promise.all([one.desk.audit.seal(), two.desk.audit.seal()]);
    await Promise.all([one.desk.audit.seal(), two.desk.audit.seal()]);
    const checks = await checkAudit(stores[0] as Store, keys);
    expect(checks.map(({ valid }) => valid)).toEqual([true, true]);
    const entries = await (stores[0] as Store).count("audit");
    expect(checks.reduce((sum, check) => sum + check.entries, 0)).toBe(entries);
  });
});
