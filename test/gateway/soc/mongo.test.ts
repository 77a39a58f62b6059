import { afterAll, beforeAll, expect, test } from "vitest";
import { checkAudit } from "../../../actors/soc/audit-check.ts";
import { socCollections } from "../../../actors/soc/collections.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import { describeWithMongo, startMongo, type TestMongo } from "../../mongo-server/mongo-server.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

describeWithMongo(
  "the platform on MongoDB",
  () => {
    let mongo: TestMongo;
    let soc: RunningPlatform;
    let token: string;
    beforeAll(async () => {
      mongo = await startMongo();
      soc = await startPlatform({ store: await openStore(mongo.url, socCollections) });
      token = await soc.login();
      await soc.platform.actors.playbooks.seed();
    }, 180_000);
    afterAll(async () => {
      await soc?.stop();
      await mongo?.stop();
    });
    const post = (path: string, body: object = {}, who = token) =>
      soc.call("POST", path, { token: who, body });
    const get = (path: string) => soc.call("GET", path, { token });
    const alert = (title: string) => ({ title, source: "siem", severity: "high" });

    test("raises one alert of a hundred at once, and works it to the end of its case", async () => {
      const raised = await Promise.all(Array.from({ length: 100 }, () => post("/alerts", alert("same"))));
      expect(raised.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(raised.filter(({ status }) => status === 200)).toHaveLength(99);
      const path = `/alerts/${raised[0]!.body.id as string}`;
      expect((await get(path)).body.occurrences).toBe(100);
      const id = (await post(`${path}/promote`)).body.id as string;
      const evidence = { name: "disk", evidence_type: "image", sha256: "ab".repeat(32) };
      const held = `/cases/${id}/evidence/${(await post(`/cases/${id}/evidence`, evidence)).body.id as string}`;
      await Promise.all(["one", "two", "three"].map((action) => post(`${held}/custody`, { action })));
      expect((await get(`${held}/verify`)).body).toMatchObject({ valid: true, entries: 4 });
      expect((await soc.call("DELETE", `/cases/${id}`, { token })).status).toBe(200);
      expect((await get(path)).body).toMatchObject({ status: "triaged", case_id: null });
    });

    test("takes a critical playbook through its approval, once", async () => {
      const execute = "/soar/playbooks/critical-review/execute";
      const approval = (await post(execute)).body.approval_id as string;
      const approver = await soc.userOf("approver");
      expect((await post(`/approvals/${approval}/decide`, { approved: true }, approver)).status).toBe(200);
      const again = await Promise.all([1, 2, 3].map(() => post(`${execute}?approval_id=${approval}`)));
      expect(again.map(({ status }) => String(status)).sort()).toEqual(["200", "409", "409"]);
    });

    test("answers 503 while the database is dead, and goes on without a restart", async () => {
      const writing = Array.from({ length: 40 }, async (_, n) => {
        if (n === 15) await mongo.kill();
        return post("/alerts", alert(`load ${n}`));
      });
      for (const { status, body } of await Promise.all(writing)) {
        expect([201, 503]).toContain(status);
        if (status === 503) expect(body).toEqual({ detail: expect.any(String) as unknown });
      }
      const refused = await get("/alerts");
      expect(refused).toMatchObject({ status: 503, body: { detail: expect.any(String) as unknown } });
      expect((await get("/health")).body).toMatchObject({ status: "degraded", store: "down" });
      expect((await get("/system/mode")).body.read_data_source).toBe("unavailable");
      const back = new Promise<void>((resolve) => soc.store.listen((up) => up && resolve()));
      await mongo.restart();
      await back;
      expect((await post("/alerts", alert("after"))).status).toBe(201);
      await soc.platform.desk.audit.seal();
      expect(await checkAudit(soc.store, soc.keys)).toMatchObject([{ valid: true }]);
    }, 60_000);
  },
  { killable: true },
);
