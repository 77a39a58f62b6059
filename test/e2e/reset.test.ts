import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../free-port.ts";
import { type RunningService, type ServiceOptions, startService } from "../service.ts";

let service: RunningService;
let env: Record<string, string>;

beforeEach(async () => {
  env = { APPLIANCE_LISTEN: `http://127.0.0.1:${await freePort()}` };
});
afterEach(() => service.discard());

const start = async (which: "appliance" | "all", options: ServiceOptions = {}) => {
  service = await startService(which, { env, ...options });
};

function call(method: string, path: string, token = service.token, body?: object): Promise<Response> {
  return fetch(`${service.appliance}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const inHome = (...names: string[]) => join(service.home, "appliance", ...names);

const reset = async () => {
  const shown = service.printed(/device token +([0-9a-f]{64})$/);
  const ready = service.printed(/^ready$/);
  const reply = await call("POST", "/reset");
  expect([reply.status, await reply.json()]).toEqual([200, { success: true }]);
  await ready;
  return (await shown)[1]!;
};

it("a factory reset drops the streams, makes a new token and leaves the card, the slots and their key", async () => {
  await start("appliance");
  const station = { name: "gone", url: "http://192.0.2.1/radio" };
  expect((await call("POST", "/radio/stations", service.token, station)).status).toBe(200);
  expect((await call("POST", "/playback/volume", service.token, { volume: 7 })).status).toBe(200);
  mkdirSync(inHome("slots"), { recursive: true });
  for (const kept of [["card", "mine.txt"], ["slots", "note"], ["ota.pub"]])
    writeFileSync(inHome(...kept), "kept");
  const stream = new WebSocket(`${service.appliance.replace("http", "ws")}/ws`);
  const dropped = once(stream, "close");
  await once(stream, "message");

  const token = await reset();
  await dropped;
  expect(token).not.toBe(service.token);
  expect((await call("GET", "/rfid/cards", service.token)).status).toBe(401);
  expect((await call("GET", "/rfid/cards", token)).status).toBe(200);
  expect(await (await call("GET", "/radio/stations")).json()).toEqual({ stations: [] });
  expect(((await (await call("GET", "/playback/status")).json()) as { volume: number }).volume).not.toBe(7);
  for (const kept of [["card", "mine.txt"], ["slots", "note"], ["ota.pub"]])
    expect(readFileSync(inHome(...kept), "utf8")).toBe("kept");
  expect((await call("POST", "/radio/stations", token, station)).status).toBe(200);

  expect(await service.stop()).toBe(0);
  await start("appliance", { home: service.home, token });
  expect(service.output.join()).not.toContain("device token");
  expect((await call("GET", "/rfid/cards", token)).status).toBe(200);
});

it("a device that loses its power in the middle of a reset finishes it at the next start", async () => {
  await start("appliance");
  const before = service.token;
  const station = { name: "gone", url: "http://192.0.2.1/radio" };
  expect((await call("POST", "/radio/stations", before, station)).status).toBe(200);
  await service.kill();
  // As far as a reset came that noted its intent and had removed only the token.
  writeFileSync(inHome("reset.pending"), "");
  writeFileSync(inHome("token"), "");
  await start("appliance", { home: service.home });
  expect(service.token).toMatch(/^[0-9a-f]{64}$/);
  expect(service.token).not.toBe(before);
  expect(existsSync(inHome("reset.pending"))).toBe(false);
  expect(await (await call("GET", "/radio/stations")).json()).toEqual({ stations: [] });
  expect((await call("GET", "/rfid/cards", before)).status).toBe(401);
});

it("a card that lies deeper in the home survives a reset too", async () => {
  const home = mkdtempSync(join(tmpdir(), "minaret-reset-"));
  const card = join(home, "appliance", "mount", "card");
  mkdirSync(card, { recursive: true });
  writeFileSync(join(card, "mine.txt"), "kept");
  env.APPLIANCE_CARD = card;
  await start("appliance", { home });
  await reset();
  expect(readFileSync(join(card, "mine.txt"), "utf8")).toBe("kept");
});

it("the platform beside it is not touched, nor are its streams", async () => {
  await start("all");
  const platform = (path: string, token: string, body?: object) =>
    fetch(`${service.soc}/api/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const login = await platform("/auth/token", "", { username: "admin", password: service.adminPassword });
  const { access_token } = (await login.json()) as { access_token: string };
  const raise = (title: string) =>
    platform("/alerts", access_token, { title, source: "a test", severity: "low" });
  expect((await raise("before")).status).toBe(201);
  const headers = { authorization: `Bearer ${access_token}` };
  const stream = new WebSocket(`${service.soc.replace("http", "ws")}/ws`, { headers });
  await once(stream, "message");
  await reset();
  const next = once(stream, "message");
  expect((await raise("after")).status).toBe(201);
  expect(JSON.parse(String((await next)[0]))).toMatchObject({ event: "alert", data: { title: "after" } });
  stream.terminate();
  const { items } = (await (await platform("/alerts", access_token)).json()) as {
    items: { title: string }[];
  };
  expect(items.map(({ title }) => title)).toEqual(["after", "before"]);
  expect(service.output.filter((line) => line.includes("admin password"))).toHaveLength(1);
});
