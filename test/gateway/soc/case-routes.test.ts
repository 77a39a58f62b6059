import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport } from "../../../actors/soc/evidence.ts";
import { walkRoutes } from "../walk-routes.ts";
import { caseWorkRoutes, maxBytes, startCaseService } from "./case-service.ts";

let soc: Awaited<ReturnType<typeof startCaseService>>;
beforeAll(async () => {
  soc = await startCaseService();
});
afterAll(() => soc.stop());

const alert = (title: string) => ({ title, source: "siem", severity: "high", iocs: ["10.0.0.1"] });
const sha256 = "ab".repeat(32);

walkRoutes({
  base: "/api/v1",
  routes: caseWorkRoutes,
  origin: () => soc.url.replace(/\/$/, ""),
  credentials: () => ({ authorization: "Bearer manager" }),
  needsCredentials: () => true,
  errorField: "detail",
  maxBytes,
});

describe("the alert routes", () => {
  it("answer 201 for a new alert and 200 for a known one", async () => {
    const first = await soc.call("POST", "/alerts", alert("known"));
    const again = await soc.call("POST", "/alerts", alert("known"));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toMatchObject({ id: first.body.id, occurrences: 2, version: 2 });
    expect((await soc.call("GET", `/alerts/${first.body.id}`)).body).toEqual(again.body);
  });

  it("name the legal moves when one is illegal, and take a version", async () => {
    const { body } = await soc.call("POST", "/alerts", alert("moves"));
    const patch = (change: object, version?: string) =>
      soc.call("PATCH", `/alerts/${body.id}`, change, version ? { "if-match": version } : {});
    expect(await patch({ status: "resolved" })).toMatchObject({
      status: 409,
      body: { detail: "the alert is new and cannot become resolved; allowed: triaged, closed" },
    });
    expect((await patch({ status: "triaged" }, '"1"')).status).toBe(200);
    expect((await patch({ status: "investigating" }, "1")).status).toBe(409);
    expect((await patch({ status: "investigating" }, "one")).status).toBe(400);
    expect((await patch({ status: "closed" })).body).toEqual({ detail: "verdict: is required" });
    expect((await patch({ verdict: "benign" })).status).toBe(400);
    expect((await patch({})).status).toBe(400);
  });

  it("tell nothing of an object to who lacks the permission, and 404 for what is no id", async () => {
    const headers = { authorization: "Bearer analyst" };
    expect((await soc.call("DELETE", "/cases/whatever", undefined, headers)).status).toBe(403);
    for (const id of ["none", "%00", "..%2f..", "a".repeat(500), "%E2%98%83"]) {
      expect((await soc.call("GET", `/alerts/${id}`)).status).toBe(404);
      expect((await soc.call("GET", `/cases/${id}`)).status).toBe(404);
    }
  });

  it("page by cursor and refuse a limit, a sort or a cursor that is none", async () => {
    for (let n = 0; n < 5; n++) await soc.call("POST", "/alerts", { ...alert(`page ${n}`), source: "pages" });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { body } = await soc.call(
        "GET",
        `/alerts?source=pages&limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
      );
      seen.push(...(body.items as { title: string }[]).map((each) => each.title));
      cursor = body.next_cursor as string | null;
    }
    expect([...seen].sort()).toEqual(["page 0", "page 1", "page 2", "page 3", "page 4"]);
    for (const query of [
      "limit=0",
      "limit=201",
      "limit=x",
      "skip=-1",
      "sort=hash",
      "cursor=%00",
      "severity=bad",
      "x=1",
    ]) {
      expect((await soc.call("GET", `/alerts?${query}`)).status, query).toBe(400);
    }
  });
});

describe("the case routes", () => {
  it("work a case from an alert to its deletion", async () => {
    const { body: raised } = await soc.call("POST", "/alerts", alert("worked"));
    const promoted = await soc.call("POST", `/alerts/${raised.id}/promote`, { assignee: "analyst" });
    expect(promoted).toMatchObject({
      status: 201,
      body: { title: "worked", alert_ids: [raised.id], assignee: "analyst" },
    });
    const path = `/cases/${promoted.body.id}`;
    expect((await soc.call("POST", `/alerts/${raised.id}/promote`, {})).status).toBe(409);

    const script = "<script>alert(1)</script>";
    const context = { note: script };
    await soc.call("POST", `${path}/observables`, { type: "ip", value: "10.0.0.1", tags: ["c2"], context });
    await soc.call("POST", `${path}/comments`, { body: script });
    const task = await soc.call("POST", `${path}/tasks`, { title: script });
    expect(await soc.call("PATCH", `${path}/tasks/${task.body.id}`, { status: "done" })).toMatchObject({
      status: 200,
      body: { status: "done", title: script },
    });
    const evidence = await soc.call("POST", `${path}/evidence`, {
      name: "disk",
      evidence_type: "image",
      sha256,
    });
    const held = `${path}/evidence/${evidence.body.id}`;
    expect(evidence).toMatchObject({
      status: 201,
      body: { custody_entries: [{ seq: 1, action: "registered" }] },
    });
    expect(
      await soc.call("POST", `${held}/custody`, { action: "transferred", purpose: "analysis" }),
    ).toMatchObject({
      status: 201,
      body: { seq: 2, prev_hash: (evidence.body.custody_entries as { hash: string }[])[0]?.hash },
    });
    expect((await soc.call("GET", `${held}/verify`)).body).toMatchObject({ valid: true, entries: 2 });
    expect(verifyExport(JSON.stringify((await soc.call("GET", `${held}/export`)).body)).valid).toBe(true);

    for (const [status, code] of [
      ["contained", 409],
      ["investigating", 200],
      ["contained", 200],
      ["resolved", 200],
    ] as const) {
      expect((await soc.call("PATCH", path, { status })).status).toBe(code);
    }
    expect((await soc.call("PATCH", path, { status: "closed" })).status).toBe(400);
    const closing = { status: "closed", resolution: "resolved", summary: "done" };
    expect((await soc.call("PATCH", path, closing)).body).toMatchObject({
      status: "closed",
      resolution: "resolved",
    });

    const { body: detail } = await soc.call("GET", path);
    expect(detail).toMatchObject({
      comments: [{ body: script }],
      tasks: [{ status: "done" }],
      observables: [{ context }],
    });
    expect((detail.timeline as object[]).length).toBe(11);
    for (const part of ["observables", "comments", "tasks", "evidence"]) {
      expect((await soc.call("GET", `${path}/${part}`)).body.items).toEqual(detail[part]);
    }

    expect(await soc.call("DELETE", path)).toMatchObject({ status: 200, body: { deleted: true } });
    expect((await soc.call("GET", path)).status).toBe(404);
    expect((await soc.call("GET", `${path}/comments`)).status).toBe(404);
    expect((await soc.call("GET", `/alerts/${raised.id}`)).body).toMatchObject({
      status: "triaged",
      case_id: null,
    });
  });

  it("show who did what in the audit list, with places in the chain once it is chained", async () => {
    const { body } = await soc.call(
      "POST",
      "/cases",
      { title: "Audited", severity: "low" },
      { "x-request-id": "my-request" },
    );
    await soc.soc.desk.audit.seal();
    const list = await soc.call("GET", `/audit?object=case/${body.id}`);
    expect(list.body.items).toMatchObject([
      {
        actor: "manager",
        action: "case.CREATED",
        request_id: "my-request",
        link: { seq: expect.any(Number) },
      },
    ]);
    const headers = { authorization: "Bearer analyst" };
    expect((await soc.call("GET", "/audit", undefined, headers)).status).toBe(403);
  });

  it("take a hash in either case, and what happened to evidence before, in one chain", async () => {
    const { body } = await soc.call("POST", "/cases", { title: "Before", severity: "low" });
    const evidence = await soc.call("POST", `/cases/${body.id}/evidence`, {
      ...{ name: "disk", evidence_type: "image", sha256: sha256.toUpperCase(), location: "lab" },
      custody_entries: [
        { action: "collected", location: "desk 4" },
        { action: "sealed", purpose: "court" },
      ],
    });
    expect(evidence).toMatchObject({
      status: 201,
      body: {
        sha256,
        custody_entries: [
          { seq: 1, action: "registered", location: "lab", content_sha256: sha256 },
          { seq: 2, action: "collected", location: "desk 4", purpose: null },
          { seq: 3, action: "sealed", location: null, purpose: "court" },
        ],
      },
    });
    const held = `/cases/${body.id}/evidence/${evidence.body.id}`;
    expect((await soc.call("POST", `${held}/custody`, { action: "moved" })).body.seq).toBe(4);
    expect((await soc.call("GET", `${held}/verify`)).body).toMatchObject({ valid: true, entries: 4 });
  });

  it("page through tasks, and refuse a cursor that is none", async () => {
    const { body } = await soc.call("POST", "/cases", { title: "Tasks", severity: "low" });
    const path = `/cases/${body.id}/tasks`;
    for (const title of ["one", "two", "three"]) await soc.call("POST", path, { title });
    const first = (await soc.call("GET", `${path}?limit=2`)).body;
    expect(first).toMatchObject({ total: 3, items: [{ title: "one" }, { title: "two" }] });
    const rest = (await soc.call("GET", `${path}?limit=2&cursor=${first.next_cursor}`)).body;
    expect(rest).toMatchObject({ total: 3, skip: 0, items: [{ title: "three" }], next_cursor: null });
    for (const cursor of ["-5", "!!", "WyJhdCBkZXNj", "1.5"]) {
      const { status, body } = await soc.call("GET", `${path}?cursor=${cursor}`);
      expect([status, body]).toEqual([400, { detail: expect.stringContaining("cursor") as unknown }]);
    }
  });

  it("refuse what is not of this case, and bodies that say two things", async () => {
    const { body } = await soc.call("POST", "/cases", { title: "Mine", severity: "low" });
    const path = `/cases/${body.id}`;
    expect((await soc.call("PATCH", `${path}/tasks/none`, { status: "done" })).status).toBe(404);
    expect((await soc.call("GET", `${path}/evidence/none/verify`)).status).toBe(404);
    expect((await soc.call("POST", `/alerts/none/case-link`, { case_id: body.id })).status).toBe(404);
    expect(
      (await soc.call("PATCH", path, { status: "investigating", requires_human_approval: true })).status,
    ).toBe(400);
    expect((await soc.call("PATCH", path, { summary: "no status" })).status).toBe(400);
    expect(
      (await soc.call("POST", `${path}/evidence`, { name: "e", evidence_type: "t", sha256: "XY" })).status,
    ).toBe(400);
  });
});
