import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Listening } from "../listener.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
const open: Listening[] = [];
beforeEach(async () => {
  platform = await startPlatform();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  await platform.stop();
});

const listen = (token: string, path = "/ws") => {
  const client = new Listening(`${platform.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  open.push(client);
  return client;
};
const raise = (token: string, title: string) =>
  platform.call("POST", "/alerts", { token, body: { title, source: "test", severity: "high" } });

test("a client is greeted with the mode, the counts and what waits, as far as it may know", async () => {
  const viewer = listen(await platform.userOf("viewer"));
  const { data } = await viewer.hello();
  expect(data).toMatchObject({ mode: { mode: "real" }, counts: { alerts: { total: 0 } }, executions: [] });
  expect(data.approvals).toBeNull();
  const approver = listen(await platform.userOf("approver"), "/api/v1/ws");
  expect((await approver.hello()).data.approvals).toEqual([]);
  const key = await platform.keyWith(["alerts:read", "approvals:manage"]);
  const service = new Listening(`${platform.url}/ws`, { headers: { "x-api-key": key } });
  open.push(service);
  expect((await service.hello()).data).toMatchObject({ counts: null, executions: null, approvals: null });
});

test("a mutation sends exactly one event of its resource with the request's id", async () => {
  const token = await platform.login();
  const client = listen(token);
  await client.hello();
  const made = await raise(token, "seen");
  const cause = made.headers.get("x-request-id");
  const event = await client.until((heard) => heard.event === "alert");
  expect(event).toMatchObject({ cause, data: { id: made.body.id, title: "seen" } });
  const promoted = await platform.call("POST", `/alerts/${made.body.id}/promote`, { token, body: {} });
  const opened = await client.until((heard) => heard.event === "case");
  expect(opened.data.id).toBe(promoted.body.id);
  await raise(token, "the end");
  await client.until(({ data }) => data.title === "the end");
  const caused = client.heard.filter((heard) => heard.cause === promoted.headers.get("x-request-id"));
  expect(caused.map(({ event }) => event)).toEqual(["alert"]);
  expect(client.heard.filter((heard) => heard.cause === cause)).toHaveLength(1);
});

test("a deleted case is told of by its id alone", async () => {
  const token = await platform.login();
  const made = await platform.call("POST", "/cases", { token, body: { title: "secret", severity: "low" } });
  const client = listen(token);
  await client.hello();
  await platform.call("DELETE", `/cases/${made.body.id}`, { token });
  const event = await client.until((heard) => heard.event === "case");
  expect(event.data).toEqual({ id: made.body.id, deleted: true });
});

test("each client hears what its permissions let it read, also after they change", async () => {
  const admin = await platform.login();
  const key = await platform.keyWith(["cases:read"]);
  const service = new Listening(`${platform.url}/ws`, { headers: { "x-api-key": key } });
  open.push(service);
  await service.hello();
  const person = listen(await platform.userOf("analyst"));
  await person.hello();
  await raise(admin, "first");
  await person.until(({ data }) => data.title === "first");
  const made = await platform.call("POST", "/cases", {
    token: admin,
    body: { title: "both", severity: "low" },
  });
  await service.until(({ data }) => data.id === made.body.id);
  expect(service.heard.map(({ event }) => event)).toEqual(["hello", "case"]);
  platform.platform.identity.keyChanged(key.split(".")[1]!, {
    ...((await platform.store.get("api_keys", key.split(".")[1]!)) as never as { id: string }),
    permissions: ["alerts:read"],
  } as never);
  await raise(admin, "second");
  await service.until(({ data }) => data.title === "second");
});

test("a session that ends ends its stream", async () => {
  const admin = await platform.login();
  const token = await platform.userOf("viewer");
  const client = listen(token);
  await client.hello();
  const closed = once(client.ws, "close");
  await platform.call("PATCH", "/users/viewer", { token: admin, body: { disabled: true } });
  expect((await closed)[0]).toBe(4401);
  const other = listen(await platform.userOf("viewer", "other"));
  await other.hello();
  const gone = once(other.ws, "close");
  await platform.call("DELETE", "/users/other", { token: admin });
  expect((await gone)[0]).toBe(4401);
});

test("topics narrow the stream, and an unknown one is refused", async () => {
  const token = await platform.login();
  const client = listen(token, "/ws?topics=cases,approvals");
  await client.hello();
  await raise(token, "not heard");
  await platform.call("POST", "/cases", { token, body: { title: "heard", severity: "low" } });
  await client.until(({ data }) => data.title === "heard");
  expect(client.heard.map(({ event }) => event)).toEqual(["hello", "case"]);
  expect(await refusal("/ws?topics=cases,secrets", { authorization: `Bearer ${token}` })).toBe(400);
});

test("nobody listens without a token, and no page of another site with one", async () => {
  const token = await platform.login();
  const authorization = `Bearer ${token}`;
  expect(await refusal("/ws", {})).toBe(401);
  expect(await refusal("/api/v1/ws", { authorization: "Bearer nonsense" })).toBe(401);
  expect(await refusal("/ws", { authorization, origin: "http://elsewhere.example" })).toBe(403);
  expect(await refusal("/ws", { "x-api-key": "mk.key-1.2" })).toBe(401);
});

test("what happens while a client is being greeted is sent after the greeting", async () => {
  const token = await platform.login();
  const { stats, alerts } = platform.platform.actors;
  const overview = stats.overview.bind(stats);
  let goOn = () => {};
  stats.overview = async () => {
    const counts = await overview();
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return counts;
  };
  const client = listen(token);
  await once(client.ws, "open");
  await alerts.create({ title: "meanwhile", source: "test", severity: "low" }, { actor: "system" });
  goOn();
  await client.until(({ event }) => event === "alert");
  expect(client.heard.map(({ event }) => event)).toEqual(["hello", "alert"]);
  expect(client.heard[0]!.seq).toBeLessThan(client.heard[1]!.seq);
});

test("the mode is told when the store goes and when it comes back", async () => {
  const client = listen(await platform.login());
  await client.hello();
  await platform.store.close();
  await client.until(({ event, data }) => event === "mode" && data.read_data_source === "unavailable");
  await platform.store.open();
  await client.until(({ event, data }) => event === "mode" && data.read_data_source === "database");
});

async function refusal(path: string, headers: Record<string, string>): Promise<number> {
  const ws = new WebSocket(`${platform.url}${path}`.replace(/^http/, "ws"), { headers });
  ws.on("error", () => {});
  const [, response] = (await once(ws, "unexpected-response")) as [unknown, { statusCode: number }];
  return response.statusCode;
}
