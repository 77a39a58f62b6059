import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpEdr } from "../../../drivers/edr/http-edr.ts";
import { HttpNotifier } from "../../../drivers/notify/http-notifier.ts";
import { AdapterServer } from "../../actors/soc/adapter-server.ts";
import { type RunningOptions, type RunningPlatform, startPlatform } from "./running-platform.ts";

let adapter: AdapterServer;
let soc: RunningPlatform;
let admin: string;
let responder: string;

async function begin(options: RunningOptions = {}): Promise<void> {
  const edr = new HttpEdr({ url: adapter.url });
  soc = await startPlatform({ outside: { edr, notifier: new HttpNotifier(adapter.url) }, ...options });
  await soc.platform.actors.playbooks.seed();
  admin = await soc.login();
  responder = await soc.userOf("responder");
}
beforeEach(async () => {
  adapter = await new AdapterServer().open();
  adapter.endpoints.push({ id: "ep-1", hostname: "web-1", status: "online" });
});
afterEach(async () => {
  await soc.stop();
  await adapter.close();
});

const get = (path: string, token = admin) => soc.call("GET", path, { token });
const post = (path: string, body: unknown = {}, token = admin) => soc.call("POST", path, { body, token });
const patch = (path: string, body: unknown, headers = {}) =>
  soc.call("PATCH", path, { body, token: admin, headers });
const comment = { type: "block_ioc", params: { value: "evil.example" } };
const write = async (body: object) =>
  (await post("/soar/playbooks", { name: "P", steps: [comment], ...body })).body.id as string;

/** Asks until the run is no longer under way. */
async function ended(id: unknown): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await get(`/soar/executions/${String(id)}`);
    if (body.status !== "running" || body.waiting_for) return body;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("the handshake of a critical playbook", () => {
  it.each(["/soar/playbooks", "/playbooks"])("is made in three steps at %s", async (family) => {
    await begin();
    const id = await write({ critical: true, name: "Critical" });
    const asked = await post(`${family}/${id}/execute`, {}, responder);
    expect(asked).toMatchObject({
      status: 200,
      body: {
        playbook_id: id,
        playbook_name: "Critical",
        status: "pending_approval",
        requires_approval: true,
      },
    });
    expect(asked.body).toMatchObject({ steps_total: 1, message: expect.any(String) });
    const approval = String(asked.body.approval_id);
    const again = `${family}/${id}/execute?approval_id=${approval}`;
    expect((await post(again, {}, responder)).status).toBe(409);
    expect((await get("/approvals")).body).toMatchObject({ total: 1, items: [{ id: approval }] });
    expect(
      (await post(`/approvals/${approval}/decide`, { approved: true, reason: "go" })).body,
    ).toMatchObject({
      ...{ id: approval, status: "approved", decided_by: "admin" },
    });
    expect((await post(`/approvals/${approval}/decide`, { approved: false })).status).toBe(409);
    expect((await post(again, {}, responder)).body).toMatchObject({ execution_id: asked.body.execution_id });
    expect(await ended(asked.body.execution_id)).toMatchObject({ status: "completed" });
    expect((await post(again, {}, responder)).status).toBe(409);
    expect((await post(`${family}/${id}/execute?approval_id=approval-x`, {}, responder)).status).toBe(404);
    expect((await get("/approvals")).body.total).toBe(0);
    expect((await get("/approvals?status=approved")).body.total).toBe(1);
  });

  it("forbids the replay of a rejected one", async () => {
    await begin();
    const id = await write({ critical: true });
    const { approval_id } = (await post(`/soar/playbooks/${id}/execute`, {}, responder)).body;
    await post(`/approvals/${String(approval_id)}/decide`, { approved: false });
    const replay = await post(
      `/soar/playbooks/${id}/execute?approval_id=${String(approval_id)}`,
      {},
      responder,
    );
    expect(replay.status).toBe(403);
  });

  it("is not for whoever asked, themselves or through their key, and not for keys at all", async () => {
    await begin();
    const id = await write({ critical: true });
    const own = await post(`/soar/playbooks/${id}/execute`);
    expect((await post(`/approvals/${String(own.body.approval_id)}/decide`, { approved: true })).status).toBe(
      403,
    );
    const key = await soc.keyWith(["soar:execute", "approvals:manage"], "ci");
    const headers = { "x-api-key": key };
    const asked = await soc.call("POST", `/soar/playbooks/${id}/execute`, { headers, body: {} });
    expect(asked.body.status).toBe("pending_approval");
    const decide = `/approvals/${String(asked.body.approval_id)}/decide`;
    expect((await soc.call("POST", decide, { headers, body: { approved: true } })).status).toBe(403);
    expect((await soc.call("GET", "/approvals", { headers })).status).toBe(403);
    expect((await post(decide, { approved: true })).status).toBe(403);
    const other = await soc.userOf("approver");
    expect((await post(decide, { approved: true }, other)).status).toBe(200);
  });
});

describe("playbooks", () => {
  it("are written, read, changed, switched and deleted", async () => {
    await begin();
    const id = await write({ description: "about", steps: [{ type: "wait", params: { seconds: 1 } }] });
    expect((await get(`/soar/playbooks/${id}`)).body).toMatchObject({
      ...{ name: "P", critical: false, enabled: true, trigger: "manual", version: 1 },
      steps: [{ id: "step-1", type: "wait", name: "wait", on_error: "stop", timeout_s: 30 }],
    });
    const path = `/soar/playbooks/${id}`;
    expect((await patch(path, { name: "Q" }, { "if-match": "1" })).body).toMatchObject({
      name: "Q",
      version: 2,
    });
    expect((await patch(path, { name: "R" }, { "if-match": "1" })).status).toBe(409);
    expect((await post(`${path}/toggle`)).body).toMatchObject({ enabled: false });
    expect((await post(`${path}/execute`)).status).toBe(409);
    expect((await get("/playbooks?enabled=false")).body.items).toMatchObject([
      { id },
      { id: "revoke-device" },
    ]);
    expect((await soc.call("DELETE", path, { token: admin })).body).toEqual({ id, deleted: true });
    expect((await get(path)).status).toBe(404);
    const audit = await get(`/audit?object=playbook/${id}&sort=at`);
    expect((audit.body.items as { action: string }[]).map((entry) => entry.action)).toEqual(
      ["CREATED", "CHANGED", "TOGGLED", "DELETED"].map((action) => `playbook.${action}`),
    );
  });

  it.each<[object, string]>([
    [{ name: undefined }, "name"],
    [{ name: "" }, "name"],
    [{ name: "x\u0000" }, "name"],
    [{ critical: "yes" }, "critical"],
    [{ steps: "none" }, "steps"],
    [{ steps: [{ type: "dance", params: {} }] }, "type"],
    [{ steps: [{ type: "comment", params: {} }] }, "body"],
    [{ steps: [{ type: "comment", params: { body: "x", more: 1 } }] }, "more"],
    [{ steps: [{ type: "wait", params: { seconds: -1 } }] }, "seconds"],
    [{ steps: [{ ...comment, on_error: "shrug" }] }, "on_error"],
    [{ steps: [{ ...comment, timeout_s: 0 }] }, "timeout_s"],
    [{ steps: [{ ...comment, id: "a b" }] }, "id"],
    [
      {
        steps: [
          { ...comment, id: "a" },
          { ...comment, id: "a" },
        ],
      },
      "steps",
    ],
    [{ steps: [{ type: "http_request", params: { url: "http://x/", method: "TRACE" } }] }, "method"],
    [{ unknown: 1 }, "unknown"],
  ])("refuse %j, naming the field", async (wrong, field) => {
    await begin();
    const reply = await post("/soar/playbooks", { name: "P", steps: [comment], ...wrong });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain(field);
  });

  it("have runs that are listed, shown, cancelled and answered", async () => {
    await begin();
    const id = await write({ steps: [{ type: "human_input", params: { prompt: "Well?" } }, comment] });
    const { execution_id } = (await post(`/soar/playbooks/${id}/execute`, {}, responder)).body;
    const path = `/soar/executions/${String(execution_id)}`;
    expect((await get(path)).body).toMatchObject({ status: "running", waiting_for: { prompt: "Well?" } });
    for (const list of ["/soar/executions", "/playbooks/executions"]) {
      expect((await get(`${list}?status=running&playbook_id=${id}`)).body).toMatchObject({ total: 1 });
    }
    expect((await post(`${path}/input`, {})).status).toBe(400);
    expect((await post(`${path}/input`, { decision: "shrug" })).status).toBe(400);
    expect((await post(`${path}/input`, { input: "yes", step_id: "other" })).status).toBe(409);
    expect((await post(`${path}/input`, { input: { text: "yes" } }, responder)).status).toBe(200);
    expect(await ended(execution_id)).toMatchObject({ status: "completed" });
    expect((await post(`${path}/cancel`)).status).toBe(409);
    expect((await post(`${path}/input`, { input: 1 })).status).toBe(409);
    const next = (await post(`/soar/playbooks/${id}/execute`, {}, responder)).body.execution_id;
    expect((await post(`/soar/executions/${String(next)}/cancel`, { reason: "enough" })).body).toMatchObject({
      ...{ status: "cancelled", error: "enough" },
    });
    expect((await get("/soar/executions/execution-none")).status).toBe(404);
  });

  it.each<[object, number, string]>([
    [{ parameters: [] }, 400, "parameters"],
    [{ parameters: { "a b": 1 } }, 400, "parameters"],
    [{ parameters: { value: "x".repeat(70_000) } }, 400, "parameters"],
    [{ parameters: {} }, 400, "parameters.value"],
    [{ case_id: 7 }, 400, "case_id"],
    [{ more: 1 }, 400, "more"],
    [{ parameters: { value: "x" }, case_id: "case-none" }, 404, "case-none"],
    [{ parameters: { value: "x" }, alert_id: "alert-none" }, 404, "alert-none"],
  ])("are not run with %j", async (body, status, text) => {
    await begin();
    const reply = await post("/playbooks/block-indicator/execute", body, responder);
    expect([reply.status, String(reply.body.detail).includes(text)]).toEqual([status, true]);
    expect((await get("/soar/executions")).body.total).toBe(0);
  });

  it("have rules in dummy mode only", async () => {
    await begin();
    expect((await get("/soar/rules")).body).toMatchObject({ items: [], total: 0 });
    expect((await post("/soar/rules/rule-showcase-1/toggle")).status).toBe(503);
    await soc.stop();
    await begin({ mode: "dummy" });
    expect((await get("/soar/rules")).body).toMatchObject({ total: 2 });
    const before = ((await get("/soar/rules")).body.items as { enabled: boolean }[])[0]?.enabled;
    const toggled = await post("/soar/rules/rule-showcase-1/toggle");
    expect(toggled).toMatchObject({ status: 200, body: { enabled: !before } });
    expect((await get("/soar/rules")).body.items).toMatchObject([{ enabled: !before }, {}]);
    expect((await post("/soar/rules/rule-none/toggle")).status).toBe(404);
  });
});

describe("endpoints", () => {
  const learn = async () => {
    const { endpoints } = soc.platform.actors;
    const seen = { id: "ep-1", hostname: "web-1", ip: null, os: null, status: "online" } as const;
    await endpoints.learn({ endpoints: [seen], skipped: 0 }, new Date().toISOString());
  };

  it("are listed, counted and acted on", async () => {
    await begin();
    await learn();
    expect((await get("/edr/endpoints?status=online")).body).toMatchObject({
      items: [{ hostname: "web-1" }],
    });
    const acted = await post("/edr/endpoints/ep-1/isolate", { reason: "malware" }, responder);
    expect(acted).toMatchObject({ status: 200, body: { status: "isolating" } });
    const status = async () => (await get("/edr/endpoints/ep-1")).body.status;
    while ((await status()) === "isolating") await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await status()).toBe("isolated");
    expect((await get("/edr/stats")).body).toMatchObject({ total: 1, by_status: { isolated: 1 } });
    expect((await post("/edr/endpoints/ep-1/isolate", {}, responder)).status).toBe(409);
    expect((await post("/edr/endpoints/ep-1/scan", { reason: 7 }, responder)).status).toBe(400);
    expect((await post("/edr/endpoints/ep-9/scan", {}, responder)).status).toBe(404);
    expect((await get("/edr/endpoints/..%2f")).status).toBe(404);
  });

  it("answer 503 without an adapter, and nothing changes", async () => {
    await begin({ outside: { edr: null } });
    await learn();
    const before = await get("/edr/endpoints/ep-1");
    expect((await post("/edr/endpoints/ep-1/isolate", {}, responder)).status).toBe(503);
    expect((await get("/edr/endpoints/ep-1")).body).toEqual(before.body);
  });

  it("and playbooks are only previewed in a dry run", async () => {
    await begin({ mode: "dry_run" });
    await learn();
    const isolate = await post("/edr/endpoints/ep-1/isolate", {}, responder);
    expect(isolate).toMatchObject({ status: 200, body: { preview: true } });
    const run = await post("/soar/playbooks/critical-review/execute", {}, responder);
    expect(run.body).toMatchObject({ preview: true, would: { result: { status: "pending_approval" } } });
    expect((await get("/edr/endpoints/ep-1")).body.status).toBe("online");
    expect((await get("/soar/executions")).body.total).toBe(0);
    expect((await get("/approvals?status=all")).body.total).toBe(0);
    expect(adapter.calls).toEqual([]);
  });
});

describe("the showcase", () => {
  it("shows approvals, playbooks, runs and endpoints", async () => {
    await begin({ mode: "dummy" });
    await soc.store.close();
    for (const path of ["/approvals?status=all", "/soar/playbooks", "/soar/executions", "/edr/endpoints"]) {
      const { status, body } = await get(path);
      expect([status, (body.total as number) > 0], path).toEqual([200, true]);
    }
    expect((await post("/soar/playbooks/triage-note/execute")).status).toBe(403);
  });
});
