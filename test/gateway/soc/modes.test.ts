import { afterEach, describe, expect, test } from "vitest";
import { socCollections } from "../../../actors/soc/collections.ts";
import { MemoryStore } from "../../../drivers/store/memory.ts";
import { NoStore } from "../../../drivers/store/no-store.ts";
import { type Mode, modes } from "../../../machines/soc/modes.ts";
import { storyCaseId } from "../../../machines/soc/showcase-story.ts";
import {
  adminPassword,
  type RunningOptions,
  type RunningPlatform,
  startPlatform,
} from "./running-platform.ts";

let platform: RunningPlatform;
const start = async (options: RunningOptions) => {
  platform = await startPlatform(options);
  return platform;
};
afterEach(() => platform.stop());

const alert = { title: "one", source: "test", severity: "high" };
const asSystem = { actor: "system" };
const dump = async (store: RunningPlatform["store"]) => {
  const all: Record<string, unknown> = {};
  // The audit stream tells of previews: it is meant to grow.
  for (const { name } of socCollections.filter((spec) => !spec.name.startsWith("audit")))
    all[name] = (await store.find(name)).items;
  return all;
};

const unasked = () => Promise.reject(new Error("a dry run asked the adapter"));
const edrThatIsNeverAsked = { inventory: unasked, honoursKeys: unasked, act: unasked };
const endpointSeen = () =>
  platform.platform.actors.endpoints.learn(
    {
      endpoints: [{ id: "ep-1", hostname: "host", ip: null, os: null, status: "online" }],
      skipped: 0,
    },
    new Date().toISOString(),
  );

describe("what the platform says of itself", () => {
  const flags: Record<Mode, [boolean, boolean, boolean]> = {
    dummy: [false, false, false],
    dry_run: [false, true, false],
    real: [true, true, true],
  };
  const cases = modes.flatMap((mode) => [true, false].map((up) => [mode, up ? "up" : "down"] as const));

  test.each(cases)("in %s mode with the store %s", async (mode, state) => {
    const up = state === "up";
    await start({ mode });
    const token = await platform.login();
    if (!up) await platform.store.close();
    const [is_mutations_allowed, is_internal_workflows_allowed, is_external_actions_allowed] = flags[mode];
    const showcase = mode === "dummy";
    const truth = await platform.call("GET", "/system/mode", { token });
    expect(truth).toMatchObject({ status: 200 });
    expect(truth.body).toEqual({
      mode,
      is_database_available: up,
      showcase_reads_allowed: showcase,
      uses_showcase_data: showcase && !up,
      read_data_source: up ? "database" : showcase ? "showcase" : "unavailable",
      is_mutations_allowed,
      is_internal_workflows_allowed,
      is_external_actions_allowed,
    });
    const health = await platform.call("GET", "/health");
    expect(health.status).toBe(200);
    expect(health.body).toEqual({ status: up ? "ok" : "degraded", version: "2.0.0", mode, store: state });
    const serves = up || showcase;
    expect((await platform.call("GET", "/ready")).status).toBe(serves ? 200 : 503);
    const list = await platform.call("GET", "/alerts", { token });
    expect(list.status).toBe(serves ? 200 : 503);
    if (serves) expect(Number(list.body.total) > 0).toBe(showcase && !up);
    else expect(list.body).toEqual({ detail: expect.any(String) as unknown });
    const login = await platform.call("POST", "/auth/token", {
      body: { username: "admin", password: adminPassword },
    });
    expect(login.status).toBe(serves ? 200 : 503);
  });
});

describe("dummy mode", () => {
  test("shows the whole story without any store, to the first administrator alone", async () => {
    await start({ mode: "dummy", store: new NoStore() });
    const token = await platform.login();
    const get = async (path: string) =>
      (await platform.call("GET", path, { token })).body as Record<string, unknown[]>;
    const { items } = (await get("/cases")) as unknown as { items: { id: string }[] };
    const detail = await get(`/cases/${storyCaseId}`);
    for (const part of ["timeline", "observables", "evidence", "comments", "tasks"])
      expect(detail[part]?.length).toBeGreaterThan(0);
    expect((await get("/system/topology")).sites).toHaveLength(2);
    expect((await get("/stats/overview")).cases).toMatchObject({ total: items.length });
    expect((await get("/users/me")).username).toBe("admin");
    for (const [username, password] of [
      ["admin", "not the password"],
      ["somebody", adminPassword],
    ])
      expect((await platform.call("POST", "/auth/token", { body: { username, password } })).status).toBe(401);
    const change = { current_password: adminPassword, new_password: "a new password" };
    expect((await platform.call("POST", "/users/me/password", { token, body: change })).status).toBe(503);
  });

  test("says which mode it is before it looks at the body or the object", async () => {
    await start({ mode: "dummy" });
    const token = await platform.login();
    for (const [method, path, body] of [
      ["PATCH", "/alerts/nowhere", { nonsense: true }],
      ["POST", "/alerts", alert],
      ["DELETE", "/users/nobody", undefined],
    ] as const) {
      const reply = await platform.call(method, path, { token, ...(body && { body }) });
      expect(reply).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining("dummy") as unknown },
      });
    }
    const viewer = await platform.userOf("viewer");
    const refused = await platform.call("POST", "/alerts", { token: viewer, body: alert });
    expect(refused.body.detail).toContain("alerts:write");
  });

  test("goes to the showcase when the store goes, and back to the store with it", async () => {
    const store = new MemoryStore(socCollections);
    await start({ mode: "dummy", store });
    const token = await platform.login();
    const total = async () => (await platform.call("GET", "/alerts", { token })).body.total;
    expect(await total()).toBe(0);
    await store.close();
    expect(await total()).toBe(8);
    await store.open();
    expect(await total()).toBe(0);
  });
});

describe("a dry run", () => {
  test("previews every mutation, keeps nothing of it, and leaves a note that it did", async () => {
    await start({ mode: "dry_run", outside: { edr: edrThatIsNeverAsked } });
    const token = await platform.login();
    const { alerts, cases } = platform.platform.actors;
    const known = (await alerts.create({ ...alert, severity: "high" }, asSystem)).alert;
    const free = (await alerts.create({ title: "two", source: "test", severity: "low" }, asSystem)).alert;
    const opened = await cases.create({ title: "a case", severity: "high", alert_ids: [free.id] }, asSystem);
    await platform.userOf("viewer", "night-shift");
    await platform.platform.actors.playbooks.seed();
    await endpointSeen();
    const before = await dump(platform.store);
    const calls: [string, string, object?][] = [
      ["POST", "/alerts", { title: "new", source: "test", severity: "low" }],
      ["POST", "/alerts", alert],
      ["PATCH", `/alerts/${known.id}`, { status: "triaged" }],
      ["POST", `/alerts/${known.id}/promote`, {}],
      ["POST", `/alerts/${known.id}/case-link`, { case_id: opened.id }],
      ["POST", "/cases", { title: "another", severity: "low", alert_ids: [known.id] }],
      ["PATCH", `/cases/${opened.id}`, { status: "investigating" }],
      ["POST", `/cases/${opened.id}/comments`, { body: "a word" }],
      [
        "POST",
        `/cases/${opened.id}/evidence`,
        { name: "disk", evidence_type: "image", sha256: "a".repeat(64) },
      ],
      ["PATCH", `/cases/${opened.id}`, { requires_human_approval: true }],
      ["DELETE", `/cases/${opened.id}`],
      ["POST", "/soar/playbooks/triage-note/execute", {}],
      ["POST", "/playbooks/critical-review/execute", { case_id: opened.id }],
      ["PATCH", "/soar/playbooks/triage-note", { name: "Renamed" }],
      ["POST", "/soar/playbooks/triage-note/toggle"],
      ["DELETE", "/soar/playbooks/triage-note"],
      ["POST", "/edr/endpoints/ep-1/isolate"],
      ["POST", "/users", { username: "day-shift", password: "a long password", role: "viewer" }],
      ["PATCH", "/users/night-shift", { role: "analyst" }],
      ["DELETE", "/users/night-shift"],
      ["POST", "/api-keys", { name: "key", permissions: ["alerts:read"] }],
    ];
    for (const [method, path, body] of calls) {
      const reply = await platform.call(method, path, { token, ...(body && { body }) });
      expect({ path, status: reply.status, preview: reply.body.preview }).toEqual({
        path,
        status: 200,
        preview: true,
      });
      expect(reply.body.would).toMatchObject({
        method,
        path: `/api/v1${path}`,
        result: expect.anything() as unknown,
      });
    }
    expect(await dump(platform.store)).toEqual(before);
    const notes = await platform.call("GET", "/audit?result=preview", { token });
    expect(notes.body.total).toBe(calls.length);
  });

  test("refuses as the real mode would, before it previews", async () => {
    await start({ mode: "dry_run" });
    const token = await platform.login();
    const { alerts } = platform.platform.actors;
    const known = (await alerts.create({ ...alert, severity: "high" }, asSystem)).alert;
    const refusals: [number, string, string, object?][] = [
      [400, "POST", "/alerts", { title: "no source" }],
      [404, "PATCH", "/alerts/nowhere", { status: "triaged" }],
      [409, "PATCH", `/alerts/${known.id}`, { status: "resolved" }],
      [404, "POST", `/alerts/${known.id}/case-link`, { case_id: "nowhere" }],
      [409, "POST", "/users", { username: "admin", password: "a long password", role: "viewer" }],
      [409, "DELETE", "/users/admin"],
      [404, "DELETE", "/api-keys/nowhere"],
      [404, "POST", "/soar/playbooks/nowhere/execute", {}],
      [404, "POST", "/edr/endpoints/nowhere/isolate"],
      [404, "POST", "/approvals/nowhere/decide", { approved: true }],
    ];
    for (const [status, method, path, body] of refusals) {
      const reply = await platform.call(method, path, { token, ...(body && { body }) });
      expect({ path, status: reply.status }).toEqual({ path, status });
    }
  });

  test("is heard of by nobody on the stream", async () => {
    await start({ mode: "dry_run" });
    const token = await platform.login();
    const steps: unknown[] = [];
    platform.platform.watchSteps((step) => void steps.push(step));
    await platform.call("POST", "/alerts", { token, body: alert });
    expect(steps).toEqual([]);
  });
});

describe("a store that goes under load", () => {
  test("turns answers into 503 with a detail, and comes back without a restart", async () => {
    const store = new MemoryStore(socCollections);
    await start({ mode: "real", store });
    const token = await platform.login();
    const post = (n: number) =>
      platform.call("POST", "/alerts", { token, body: { ...alert, title: `load ${n}` } });
    const replies = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        if (n === 20) await store.close();
        if (n === 40) await store.open();
        return post(n);
      }),
    );
    for (const { status, body } of replies) {
      expect([201, 503]).toContain(status);
      if (status === 503) expect(body).toEqual({ detail: expect.any(String) as unknown });
    }
    expect((await post(61)).status).toBe(201);
    const acknowledged = replies.filter(({ status }) => status === 201).length + 1;
    expect(await store.count("alerts")).toBeGreaterThanOrEqual(acknowledged);
    await store.close();
    const down = await post(62);
    expect(down.status).toBe(503);
    await store.open();
  });
});
