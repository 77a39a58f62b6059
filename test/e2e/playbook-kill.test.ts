import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdapterServer } from "../actors/soc/adapter-server.ts";
import { type RunningService, startService } from "../service.ts";

const adminPassword = "the first password";
let adapter: AdapterServer;
let service: RunningService;
let tokens: { admin: string; manager: string };

type Body = Record<string, unknown>;

async function call(method: string, path: string, body?: unknown, token?: string): Promise<Body> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetch(`${service.soc}/api/v1${path}`, { method, headers, ...text });
  expect(reply.status, path).toBeLessThan(300);
  return (await reply.json()) as Body;
}
const login = async (username: string, password: string) =>
  (await call("POST", "/auth/token", { username, password })).access_token as string;

async function start(home?: string): Promise<void> {
  const env = {
    ...{ SOC_EDR_URL: adapter.url, SOC_NOTIFY_URL: `${adapter.url}/notify` },
    SOC_ADMIN_PASSWORD: adminPassword,
  };
  service = await startService("soc", { env, adminPassword, ...(home && { home }) });
  const admin = await login("admin", adminPassword);
  const manager = { username: "manager", password: "another password" };
  if (!home) await call("POST", "/users", { ...manager, role: "manager" }, admin);
  tokens = { admin, manager: await login(manager.username, manager.password) };
}

beforeEach(async () => {
  adapter = await new AdapterServer().open();
  adapter.endpoints.push({ id: "ep-1", hostname: "web-1", status: "online" });
  await start();
});
afterEach(async () => {
  await service.stop();
  await adapter.close();
});

const execute = (query = "", body: object = {}) =>
  call("POST", `/soar/playbooks/contain-host/execute${query}`, body, tokens.admin);

describe("a process that is killed while an adapter is being asked", () => {
  it("is followed by one that asks again under the same key and ends the run", {
    timeout: 60_000,
  }, async () => {
    for (;;) {
      const { total } = await call("GET", "/edr/stats", undefined, tokens.admin);
      if (total === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { approval_id, execution_id } = await execute("", { parameters: { endpoint_id: "ep-1" } });
    await call("POST", `/approvals/${String(approval_id)}/decide`, { approved: true }, tokens.manager);
    adapter.behaviour = "stall";
    const arrived = adapter.arrival();
    await execute(`?approval_id=${String(approval_id)}`);
    await arrived;
    const { home } = service;
    await service.kill();
    adapter.behaviour = "confirm";
    await start(home);
    let run: Body;
    do {
      await new Promise((resolve) => setTimeout(resolve, 100));
      run = await call("GET", `/soar/executions/${String(execution_id)}`, undefined, tokens.admin);
    } while (run.status === "running");
    expect(run).toMatchObject({ status: "completed", waiting_for: null });
    const isolations = adapter.asked.filter((each) => each.path.endsWith("/isolate"));
    expect(isolations.map((each) => each.key)).toEqual(Array(2).fill(`${String(execution_id)}/isolate/1`));
    expect(adapter.deeds.filter((key) => key.endsWith("/isolate/1"))).toHaveLength(1);
    const endpoint = await call("GET", "/edr/endpoints/ep-1", undefined, tokens.admin);
    expect(endpoint.status).toBe("isolated");
  });
});
