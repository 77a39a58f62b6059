import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpEdr } from "../../../drivers/edr/http-edr.ts";
import { HttpNotifier } from "../../../drivers/notify/http-notifier.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { builtInPlaybooks, parametersOf } from "../../../machines/soc/playbooks.ts";
import { AdapterServer } from "./adapter-server.ts";
import { manager, openStore, ResponseProcess, responder } from "./response-process.ts";

let store: Store;
let soc: ResponseProcess;
let adapter: AdapterServer;
beforeEach(async () => {
  store = await openStore();
  adapter = await new AdapterServer().open();
  const edr = new HttpEdr({ url: adapter.url, token: "secret" });
  soc = new ResponseProcess(store, { edr, notifier: new HttpNotifier(`${adapter.url}/notify`) });
});
afterEach(async () => {
  await soc.stop();
  await adapter.close();
});

const get = (id: string) => soc.executions.get(id);
const states = async (id: string) => (await get(id)).steps.map((step) => step.state);
const openCase = async () => (await soc.work.cases.create({ title: "One", severity: "low" }, responder)).id;

describe("a critical playbook", () => {
  const critical = () =>
    soc.write([{ type: "block_ioc", params: { value: "{value}" } }], { critical: true, name: "Block" });
  const execute = async (
    playbook: string,
    approval?: string,
    parameters: object | undefined = { value: "x" },
  ) =>
    soc.executions.execute(
      playbook,
      { parameters: parameters as Record<string, unknown> },
      responder,
      approval,
    );

  it("waits for its approval and runs when it is asked for again with it, once", async () => {
    const playbook = await critical();
    const asked = await execute(playbook);
    expect(asked).toMatchObject({
      ...{ playbook_id: playbook, playbook_name: "Block", status: "pending_approval" },
      ...{ requires_approval: true, steps_total: 1, approval_id: expect.any(String) },
    });
    const approval = asked.approval_id as string;
    await expect(execute(playbook, approval)).rejects.toMatchObject({ code: "conflict" });
    await soc.approvals.decide(approval, { approved: true }, manager);
    await soc.settle();
    expect(await get(asked.execution_id)).toMatchObject({ status: "pending_approval", started_at: null });
    const replays = await Promise.allSettled([execute(playbook, approval), execute(playbook, approval)]);
    expect(replays.filter((each) => each.status === "fulfilled")).toHaveLength(1);
    const lost = replays.find((each) => each.status === "rejected");
    expect(lost?.reason).toMatchObject({ code: "conflict" });
    await soc.settle();
    expect(await get(asked.execution_id)).toMatchObject({ status: "completed", steps_completed: 1 });
    expect((await soc.approvals.get(approval)).used_at).not.toBeNull();
    await expect(execute(playbook, approval)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is cancelled by a rejection, and its replay is forbidden", async () => {
    const playbook = await critical();
    const { approval_id, execution_id } = await execute(playbook);
    await soc.approvals.decide(approval_id as string, { approved: false }, manager);
    expect(await get(execution_id)).toMatchObject({ status: "cancelled" });
    await expect(execute(playbook, approval_id as string)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("is cancelled when nobody decides, and its replay is forbidden", async () => {
    const playbook = await critical();
    const { approval_id, execution_id } = await execute(playbook);
    await soc.pass(4 * 3600);
    expect(await get(execution_id)).toMatchObject({ status: "cancelled", due_at: null });
    await expect(execute(playbook, approval_id as string)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("that was approved and not replayed in time does not run any more", async () => {
    const playbook = await critical();
    const { approval_id, execution_id } = await execute(playbook);
    await soc.approvals.decide(approval_id as string, { approved: true }, manager);
    soc.clock.now += 4 * 3_600_000;
    await expect(execute(playbook, approval_id as string)).rejects.toMatchObject({ code: "forbidden" });
    await soc.pass(60);
    expect(await get(execution_id)).toMatchObject({ status: "cancelled" });
    await expect(execute(playbook, approval_id as string)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("has an approval for its own parameters, playbook and case only", async () => {
    const playbook = await critical();
    const other = await critical();
    const { approval_id } = await execute(playbook);
    const approval = approval_id as string;
    await soc.approvals.decide(approval, { approved: true }, manager);
    const refused = { code: "conflict" };
    await expect(execute(playbook, approval, { value: "y" })).rejects.toMatchObject(refused);
    await expect(execute(other, approval)).rejects.toMatchObject(refused);
    const elsewhere = soc.executions.execute(playbook, { case_id: "case-1" }, responder, approval);
    await expect(elsewhere).rejects.toMatchObject({ ...refused, field: "case_id" });
    await expect(execute(playbook, "approval-none")).rejects.toMatchObject({ code: "not_found" });
    expect(await soc.executions.execute(playbook, {}, responder, approval)).toMatchObject({
      status: "running",
    });
  });

  it("takes its approval back when it is cancelled", async () => {
    const { approval_id, execution_id } = await execute(await critical());
    await soc.executions.cancel(execution_id, "not needed", responder);
    await soc.settle();
    expect(await soc.approvals.get(approval_id as string)).toMatchObject({ status: "cancelled" });
    await expect(soc.executions.cancel(execution_id, null, responder)).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("a playbook", () => {
  it("is refused without what it asks for, when it is disabled, and where there is none", async () => {
    const playbook = await soc.write([{ params: { body: "{who}, see {case_id}" } }]);
    const execute = (wish: object) => soc.executions.execute(playbook, wish, responder);
    await expect(execute({})).rejects.toMatchObject({ code: "invalid_input", field: "parameters.who" });
    const half = execute({ parameters: { who: "x" } });
    await expect(half).rejects.toMatchObject({ code: "invalid_input", field: "case_id" });
    const nowhere = execute({ parameters: { who: "x" }, case_id: "case-none" });
    await expect(nowhere).rejects.toMatchObject({ code: "not_found" });
    await soc.response.playbooks.toggle(playbook, manager);
    const whole = { parameters: { who: "x" }, case_id: await openCase() };
    await expect(execute(whole)).rejects.toMatchObject({ code: "conflict", field: "enabled" });
    await soc.response.playbooks.remove(playbook, manager);
    await expect(execute(whole)).rejects.toMatchObject({ code: "not_found" });
  });

  it("of the built-in ones is there in a fresh store, and does not come back once it is deleted", async () => {
    const { playbooks } = soc.response;
    await playbooks.seed();
    expect((await playbooks.list({})).total).toBe(builtInPlaybooks.length);
    await playbooks.remove("triage-note", manager);
    await playbooks.seed();
    expect((await playbooks.list({})).total).toBe(builtInPlaybooks.length - 1);
  });

  it("of the built-in ones that asks for nothing completes within seconds, plain or critical", async () => {
    await soc.response.playbooks.seed();
    const simple = builtInPlaybooks.filter((each) => each.enabled && parametersOf(each).length === 0);
    expect(new Set(simple.map((each) => each.critical))).toEqual(new Set([false, true]));
    for (const { id } of simple) {
      const { execution_id, approval_id } = await soc.executions.execute(id, {}, responder);
      if (approval_id) {
        await soc.approvals.decide(approval_id, { approved: true }, manager);
        await soc.executions.execute(id, {}, responder, approval_id);
      }
      await soc.settle();
      await soc.pass(2);
      expect(await get(execution_id)).toMatchObject({ status: "completed", error: null });
    }
  });
});

describe("a step", () => {
  it("comments, assigns, opens cases and blocks indicators on the platform itself", async () => {
    const case_id = await openCase();
    const steps = [
      { type: "comment", params: { body: "seen {value}" } },
      { type: "assign", params: { assignee: "{who}" } },
      { type: "create_case", params: { title: "About {value}", severity: "high" } },
      { type: "block_ioc", params: { value: "{value}" } },
    ] as const;
    const parameters = { value: "evil.example", who: "analyst" };
    const id = await soc.run(steps, { case_id, parameters });
    expect(await get(id)).toMatchObject({ status: "completed", steps_completed: 4 });
    const detail = JSON.parse(String(await soc.work.cases.text(case_id)));
    expect(detail.assignee).toBe("analyst");
    expect(detail.comments).toMatchObject([
      { body: "seen evil.example", author: expect.stringMatching(/^playbook:/) },
    ]);
    expect(detail.timeline.at(-1).action).toBe("playbook Test: completed");
    const { case_id: made } = (await get(id)).steps[2]!.receipt as { case_id: string };
    expect(await soc.work.cases.live(made)).toMatchObject({ title: "About evil.example", severity: "high" });
    expect((await store.find("iocs")).items).toMatchObject([{ value: "evil.example", blocked: true }]);
  });

  it("of a later release fails and says so", async () => {
    for (const type of ["run_hunt", "generate_report", "revoke_certificate"] as const) {
      const id = await soc.run([{ type }]);
      expect(await get(id)).toMatchObject({ status: "failed" });
      expect((await get(id)).error).toContain("not available in this release");
    }
  });

  it("without a case, a notification address or an adapter fails and says so", async () => {
    await soc.stop();
    soc = new ResponseProcess(store, {});
    await store.insert("endpoints", { id: "ep-1" });
    for (const [type, message] of [
      ["comment", "the run has no case"],
      ["notify", "no notification address"],
      ["isolate_endpoint", "no EDR adapter"],
    ] as const) {
      const id = await soc.run([{ type, params: { endpoint_id: "ep-1", body: "x", text: "x" } }]);
      expect((await get(id)).error).toContain(message);
    }
  });

  it("asks a person, and a condition decides on the answer", async () => {
    const steps = [
      { type: "human_input", params: { prompt: "Clean?" } },
      { type: "condition", params: { field: "steps.s1.input", equals: "yes" } },
      { type: "block_ioc", params: { value: "x" } },
    ] as const;
    const id = await soc.run(steps);
    expect((await get(id)).waiting_for).toMatchObject({ kind: "input", step_id: "s1", prompt: "Clean?" });
    const wrong = soc.executions.input(id, { step_id: "s2", input: "yes" }, responder);
    await expect(wrong).rejects.toMatchObject({ code: "conflict" });
    await soc.executions.input(id, { input: "no" }, responder);
    expect(await states(id)).toEqual(["completed", "completed", "skipped"]);
    await expect(soc.executions.input(id, { input: "no" }, responder)).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("waits until its deadline, across a restart", async () => {
    const id = await soc.run([{ type: "wait", params: { seconds: 60 } }]);
    await soc.stop();
    const { clock } = soc;
    soc = new ResponseProcess(store, { clock });
    await soc.pass(59);
    expect(await states(id)).toEqual(["waiting"]);
    await soc.pass(1);
    expect(await get(id)).toMatchObject({ status: "completed" });
  });

  it("in a dry run leaves a receipt and touches nothing", async () => {
    await soc.stop();
    soc = new ResponseProcess(store, { mode: "dry_run", edr: new HttpEdr({ url: adapter.url }) });
    const id = await soc.run([
      { type: "isolate_endpoint", params: { endpoint_id: "ep-1" } },
      { type: "http_request", params: { url: `${adapter.url}/x` } },
      { type: "block_ioc", params: { value: "x" } },
    ]);
    const { status, steps } = await get(id);
    expect(status).toBe("completed");
    expect(steps[0]?.receipt).toMatchObject({ simulated: true, would: { endpoint_id: "ep-1" } });
    expect(steps[1]?.receipt).toMatchObject({ simulated: true });
    expect(steps[2]?.receipt).toMatchObject({ blocked: true });
    expect(adapter.calls).toEqual([]);
  });
});

describe("a step beyond the platform", () => {
  const request = (more: object = {}) => ({
    type: "http_request" as const,
    params: { url: `${adapter.url}/block/{value}`, body: { who: "{value}" }, ...more },
  });
  const run = (step: object) => soc.run([step], { parameters: { value: "a/b" } });

  it("calls with its key, and escapes what it puts into the address", async () => {
    const id = await run(request({ headers: { "X-Who": "{value}" } }));
    expect(await get(id)).toMatchObject({ status: "completed" });
    expect((await get(id)).steps[0]?.receipt).toMatchObject({ status: 200, body: { id: 7 } });
    expect(adapter.calls).toMatchObject([
      { method: "POST", path: "/block/a%2Fb", key: `${id}/s1/1`, body: '{"who":"a/b"}' },
    ]);
  });

  it.each(["http://169.254.169.254/latest", "http://[fe80::1]/", "file:///etc/passwd", "http://0.0.0.0/"])(
    "does not reach %s",
    async (url) => {
      const id = await soc.run([{ type: "http_request", params: { url } }]);
      expect((await get(id)).error).toMatch(/refused|must begin/);
    },
  );

  it("tries again under a new key after a certain failure, and stops after three", async () => {
    adapter.behaviour = "fail";
    const id = await run({ ...request(), on_error: "retry" });
    await soc.pass(1);
    await soc.pass(2);
    expect(await get(id)).toMatchObject({ status: "failed" });
    expect(adapter.calls.map((call) => call.key)).toEqual([1, 2, 3].map((n) => `${id}/s1/${n}`));
  });

  it("that may have happened is not repeated but put to a person", async () => {
    adapter.behaviour = "hang up";
    const id = await run({ ...request(), on_error: "retry" });
    expect(adapter.calls).toHaveLength(1);
    expect(await get(id)).toMatchObject({ status: "running", waiting_for: { kind: "unknown" } });
    await soc.executions.input(id, { decision: "done" }, responder);
    expect(await get(id)).toMatchObject({ status: "completed" });
  });

  it("is repeated under its key where the server honours keys", async () => {
    adapter.next = ["hang up"];
    const id = await run(request({ idempotent: true }));
    expect(await get(id)).toMatchObject({ status: "completed" });
    expect(adapter.calls.map((call) => call.key)).toEqual([`${id}/s1/1`, `${id}/s1/1`]);
    expect(adapter.deeds).toHaveLength(1);
  });

  it("ends with its time when the server stalls", async () => {
    adapter.behaviour = "stall";
    const id = await run({ ...request(), timeout_s: 0.1 });
    expect(await get(id)).toMatchObject({ waiting_for: { kind: "unknown" } });
    expect((await get(id)).steps[0]?.error).toContain("no answer in time");
  });

  it("is given up when the run is cancelled, and its answer counts no more", async () => {
    adapter.behaviour = "stall";
    const playbook = await soc.write([{ type: "notify", params: { text: "x" }, timeout_s: 60 }]);
    const arrived = adapter.arrival();
    const { execution_id } = await soc.executions.execute(playbook, {}, responder);
    await arrived;
    await soc.executions.cancel(execution_id, null, responder);
    await soc.settle();
    expect(await get(execution_id)).toMatchObject({ status: "cancelled", due_at: null });
    expect(await states(execution_id)).toEqual(["cancelled"]);
  });
});

describe("a step on an endpoint", () => {
  beforeEach(async () => {
    adapter.endpoints.push({ id: "ep-1", hostname: "web-1", status: "online" });
    await soc.endpoints.learn(
      { endpoints: [{ id: "ep-1", hostname: "web-1", ip: null, os: null, status: "online" }], skipped: 0 },
      new Date(soc.clock.now).toISOString(),
    );
  });
  const isolate = { type: "isolate_endpoint", params: { endpoint_id: "ep-1" } } as const;

  it("is done when the adapter confirms, under the step's own key", async () => {
    const id = await soc.run([isolate, { type: "scan_endpoint", params: isolate.params }]);
    expect(await get(id)).toMatchObject({ status: "completed" });
    expect(await soc.endpoints.get("ep-1")).toMatchObject({ status: "isolated", action: null });
    expect(adapter.asked.map((call) => [call.path, call.key, call.authorization])).toEqual([
      ["/endpoints/ep-1/isolate", `${id}/s1/1`, "Bearer secret"],
      ["/endpoints/ep-1/scan", `${id}/s2/1`, "Bearer secret"],
    ]);
  });

  it("fails when the adapter refuses, and another try has another key", async () => {
    adapter.next = ["refuse"];
    const id = await soc.run([{ ...isolate, on_error: "ask" }]);
    expect(await get(id)).toMatchObject({ waiting_for: { kind: "error" } });
    expect(await soc.endpoints.get("ep-1")).toMatchObject({ status: "online" });
    await soc.executions.input(id, { decision: "retry" }, responder);
    await soc.settle();
    expect(await get(id)).toMatchObject({ status: "completed" });
    expect(adapter.asked.map((call) => call.key)).toEqual([`${id}/s1/1`, `${id}/s1/2`]);
  });

  it("is done already where the endpoint is isolated", async () => {
    await soc.run([isolate]);
    const id = await soc.run([isolate]);
    expect((await get(id)).steps[0]).toMatchObject({ state: "completed", receipt: { already: "isolated" } });
    expect(adapter.asked).toHaveLength(1);
  });

  it("fails where there is no such endpoint, or something else is under way", async () => {
    const none = await soc.run([{ ...isolate, params: { endpoint_id: "ep-9" } }]);
    expect((await get(none)).error).toContain("there is no endpoint ep-9");
    adapter.behaviour = "stall";
    const arrived = adapter.arrival();
    await soc.endpoints.act("ep-1", "isolate", null, responder);
    await arrived;
    const playbook = await soc.write([isolate]);
    const { execution_id } = await soc.executions.execute(playbook, {}, responder);
    while ((await get(execution_id)).status === "running") await new Promise((go) => setImmediate(go));
    expect((await get(execution_id)).error).toContain("under way");
  });
});
