import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Listening } from "../listener.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";

let appliance: TestAppliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.stop());

const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const reply = await fetch(`${appliance.url}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${appliance.token.value}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
};
const radio = { name: "Radio", url: "http://radio.example/stream" };

describe("stations", () => {
  test("a saved station is listed, stored and can be forgotten once", async () => {
    const saved = await call("POST", "/radio/stations", radio);
    expect(saved).toEqual({ status: 200, body: { success: true, id: expect.any(String), ...radio } });
    const { id } = saved.body as { id: string };
    expect(await appliance.store.get("stations", id)).toMatchObject(radio);
    expect((await call("GET", "/radio/stations")).body).toEqual({ stations: [{ id, ...radio }] });
    expect(await call("DELETE", `/radio/stations/${id}`)).toEqual({ status: 200, body: { success: true } });
    expect((await call("DELETE", `/radio/stations/${id}`)).status).toBe(404);
    expect((await call("GET", "/radio/stations")).body).toEqual({ stations: [] });
  });

  test.each([
    ["name", { ...radio, name: "" }],
    ["name", { ...radio, name: "  " }],
    ["name", { ...radio, name: "x".repeat(201) }],
    ["name", { ...radio, name: "a\u0007b" }],
    ["name", { url: radio.url }],
    ["url", { ...radio, url: "ftp://radio.example/" }],
    ["url", { ...radio, url: "http://user:secret@radio.example/" }],
    ["url", { ...radio, url: `http://radio.example/${"x".repeat(2048)}` }],
    ["url", { ...radio, url: "http://" }],
    ["url", { ...radio, url: "http://radio.example/\n" }],
    ["colour", { ...radio, colour: "red" }],
    ["__proto__", JSON.parse('{"name":"a","url":"http://a.example/","__proto__":{"x":1}}')],
  ])("a bad %s is a 400 that names it, and nothing is stored", async (field, body) => {
    const reply = await call("POST", "/radio/stations", body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(new RegExp(`^${field}: `));
    expect((await appliance.store.find("stations")).items).toEqual([]);
  });
});

describe("the stream", () => {
  test.each(["/ws", "/api/ws"])("at %s greets with the stations", async (path) => {
    const listener = new Listening(`${appliance.url}${path}`);
    expect((await listener.hello()).data).toMatchObject({ stations: { stations: [] } });
    await listener.close();
  });

  test("each mutation reaches every client as one event with its cause, in order", async () => {
    const listeners = [new Listening(`${appliance.url}/ws`), new Listening(`${appliance.url}/api/ws`)];
    await Promise.all(listeners.map((listener) => listener.hello()));
    const saved = await call("POST", "/radio/stations", radio, { "x-request-id": "save" });
    await call("DELETE", `/radio/stations/${saved.body.id as string}`, undefined, {
      "x-request-id": "forget",
    });
    await call("DELETE", "/radio/stations/unknown", undefined, { "x-request-id": "refused" });
    await call("POST", "/radio/stations", radio, { "x-request-id": "last" });
    for (const listener of listeners) {
      await listener.until(({ cause }) => cause === "last");
      const events = listener.heard.filter(({ event }) => event === "stations");
      expect(events.map(({ cause, data }) => [cause, (data.stations as unknown[]).length])).toEqual([
        ["save", 1],
        ["forget", 0],
        ["last", 1],
      ]);
      await listener.close();
    }
  });

  test("clients go on hearing after the actor was replaced, without connecting again", async () => {
    await call("POST", "/radio/stations", radio);
    const listener = new Listening(`${appliance.url}/ws`);
    await listener.hello();
    const actor = appliance.tree.actors().find(({ path }) => path === "appliance/stations");
    // No record to look at: the machine's own action throws.
    actor?.ref.send({ type: "STORED", id: "crash" });
    const saved = await call("POST", "/radio/stations", radio, { "x-request-id": "after" });
    expect(saved.status).toBe(200);
    const after = appliance.tree.actors().find(({ path }) => path === "appliance/stations");
    expect(after?.ref).not.toBe(actor?.ref);
    const event = await listener.until(({ cause }) => cause === "after");
    expect(event.data.stations).toHaveLength(2);
    expect(event.data.stations).toContainEqual({ id: saved.body.id, ...radio });
    await listener.close();
  });

  test("pages of other sites may not listen, and other addresses have no stream", async () => {
    const status = (path: string, origin?: string) =>
      new Promise((resolve) => {
        const { ws } = new Listening(`${appliance.url}${path}`, origin ? { headers: { origin } } : {});
        ws.on("unexpected-response", (request, reply) => {
          request.destroy();
          resolve(reply.statusCode);
        });
        ws.on("open", () => {
          ws.terminate();
          resolve("open");
        });
      });
    expect(await status("/ws", "http://evil.example")).toBe(401);
    expect(await status("/ws", "null")).toBe(401);
    expect(await status("/ws", appliance.url)).toBe("open");
    expect(await status("/api/nothing")).toBe(404);
    expect((await fetch(`${appliance.url}/ws`)).status).toBe(400);
  });
});
