import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAppliance, type TestAppliance } from "./appliance/appliance.ts";
import { converse } from "./raw-socket.ts";

let appliance: TestAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ timeouts: { headersMs: 300 }, bodyMs: 300 });
});
afterAll(() => appliance.stop());

const post = (headers: Record<string, string>, body: string) =>
  fetch(`${appliance.url}/api/radio/stations`, { method: "POST", headers: { ...auth(), ...headers }, body });
const auth = () => ({ authorization: `Bearer ${appliance.token.value}` });
const stationCount = async () => (await appliance.store.find("stations")).items.length;

describe("requests that are not HTTP, or hardly", () => {
  test("garbage gets a 400 with an error body, and the connection ends", async () => {
    const reply = await converse(appliance.url, (socket) => socket.write("\u0016\u0003nonsense\r\n\r\n"));
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/\{"error":"[^"]+"\}$/);
  });

  test("headers beyond 16 KiB are a 400 that says so", async () => {
    const reply = await converse(appliance.url, (socket) =>
      socket.write(`GET /api/radio/stations HTTP/1.1\r\nHost: a\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`),
    );
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("the headers are too large");
  });

  test("two lengths of one body are refused", async () => {
    const reply = await converse(appliance.url, (socket) =>
      socket.write(
        "POST /api/radio/stations HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
      ),
    );
    expect(reply.status).toBe(400);
  });

  test("headers that never end are cut off in time", async () => {
    const reply = await converse(appliance.url, (socket) =>
      socket.write("GET /api/radio/stations HTTP/1.1\r\nHost: a\r\nX-Slow"),
    );
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("did not arrive in time");
  });

  test("a connection that never says anything is ended", async () => {
    const reply = await converse(appliance.url, () => {});
    expect([0, 400]).toContain(reply.status);
  });

  test("a body that never arrives is a 400 in time, and the connection ends", async () => {
    const reply = await converse(appliance.url, (socket) =>
      socket.write(
        `POST /api/radio/stations HTTP/1.1\r\nHost: a\r\nAuthorization: ${auth().authorization}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"',
      ),
    );
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("did not arrive in time");
    expect(await stationCount()).toBe(0);
  });

  test("a client that hangs up in the middle of its body changes nothing", async () => {
    await converse(appliance.url, (socket) => {
      socket.write(
        `POST /api/radio/stations HTTP/1.1\r\nHost: a\r\nAuthorization: ${auth().authorization}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":"A","url":"http://a.example/"}',
        () => socket.destroy(),
      );
    });
    expect(await stationCount()).toBe(0);
  });
});

describe("requests that are HTTP but not ours", () => {
  test("an unknown path under the API is 404 and never the page", async () => {
    for (const path of ["/api", "/api/", "/api/nothing", "/api/radio/stations/"]) {
      const reply = await fetch(`${appliance.url}${path}`, { headers: { accept: "text/html" } });
      expect([path, reply.status]).toEqual([path, 404]);
      expect(await reply.json()).toEqual({ error: expect.any(String) });
    }
  });

  test("bodies that would be good but for their size, depth or encoding are refused with the reason", async () => {
    const send = async (body: string | Uint8Array<ArrayBuffer> | ReadableStream) => {
      const reply = await fetch(`${appliance.url}/api/radio/stations`, {
        method: "POST",
        headers: { ...auth(), "content-type": "application/json" },
        body,
        duplex: "half",
      } as RequestInit);
      return [reply.status, ((await reply.json()) as { error: string }).error];
    };
    const good = '{"name":"A","url":"http://a.example/"}';
    const padded = good + " ".repeat(16 * 1024);
    const tooLarge = [400, "body: must be at most 16384 bytes"];
    expect(await send(padded)).toEqual(tooLarge);
    // Without a length, as chunks.
    expect(await send(new Blob([padded]).stream())).toEqual(tooLarge);
    const latin = Uint8Array.from(Buffer.from(good.replace("A", "\u00e9"), "latin1"));
    expect(await send(latin)).toEqual([400, "body: must be UTF-8"]);
    const deep = good.replace('"A"', `${"[".repeat(40)}${"]".repeat(40)}`);
    expect(await send(deep)).toEqual([400, "body: is nested too deeply"]);
    expect(await stationCount()).toBe(0);
  });

  test("a compressed body is refused", async () => {
    const reply = await post({ "content-type": "application/json", "content-encoding": "gzip" }, "{}");
    expect(reply.status).toBe(400);
  });

  test("a page of another site may not change anything, ours and programs may", async () => {
    const body = JSON.stringify({ name: "A", url: "http://a.example/" });
    const type = { "content-type": "application/json" };
    expect((await post({ ...type, origin: "http://evil.example" }, body)).status).toBe(401);
    expect((await post({ ...type, origin: "null" }, body)).status).toBe(401);
    expect(await stationCount()).toBe(0);
    const reply = await post({ ...type, origin: appliance.url }, body);
    expect(reply.status).toBe(200);
    const { id } = (await reply.json()) as { id: string };
    await fetch(`${appliance.url}/api/radio/stations/${id}`, { method: "DELETE", headers: auth() });
  });

  test("a foreign token of the same length, another scheme and a doubled header are all 401", async () => {
    const wrong = "0".repeat(64);
    for (const authorization of [
      `Bearer ${wrong}`,
      `Basic ${appliance.token.value}`,
      appliance.token.value,
      "Bearer ",
    ]) {
      const reply = await fetch(`${appliance.url}/api/radio/stations/x`, {
        method: "DELETE",
        headers: { authorization },
      });
      expect(reply.status).toBe(401);
    }
  });

  test("a new token counts at once", async () => {
    const old = auth();
    appliance.token.value = "f".repeat(64);
    const remove = (headers: Record<string, string>) =>
      fetch(`${appliance.url}/api/radio/stations/x`, { method: "DELETE", headers });
    expect((await remove(old)).status).toBe(401);
    expect((await remove(auth())).status).toBe(404);
  });

  test("a harmless request id is echoed, another is replaced", async () => {
    const ask = async (id: string) =>
      (await fetch(`${appliance.url}/api/radio/stations`, { headers: { "x-request-id": id } })).headers.get(
        "x-request-id",
      );
    expect(await ask("abc-1.2:3_4")).toBe("abc-1.2:3_4");
    expect(await ask('<script>"')).toMatch(/^[\w-]+$/);
    expect(await ask("x".repeat(65))).not.toContain("xxx");
  });

  test("every reply carries the security headers", async () => {
    for (const path of ["/", "/api/radio/stations", "/api/nothing"]) {
      const { headers } = await fetch(`${appliance.url}${path}`);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("strict-transport-security")).toBeNull();
    }
  });
});
