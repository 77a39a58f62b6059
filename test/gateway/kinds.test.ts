import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { openLog } from "../../drivers/log/log.ts";
import { platformErrors } from "../../gateway/errors.ts";
import { type Gateway, openGateway, type Upgrade } from "../../gateway/gateway.ts";
import { Metrics } from "../../gateway/metrics.ts";
import {
  Bytes,
  EventStream,
  Reply,
  routeBuilder,
  type ServerSentEvent,
  Upload,
} from "../../gateway/route.ts";
import { Service } from "../../gateway/service.ts";
import { StateStream } from "../../gateway/state-stream.ts";
import { DomainError } from "../../machines/errors.ts";
import { converse } from "./raw-socket.ts";

interface World {
  /** What the test lets a handler wait for. */
  gate: PromiseWithResolvers<void>;
  entered: PromiseWithResolvers<void>;
  returned: PromiseWithResolvers<void>;
}
type Policy = { mark?: string };

const route = routeBuilder<World, string, Policy>();
const common = { tag: "Test", summary: "test", policy: {} };

async function* ticks(world: World): AsyncGenerator<ServerSentEvent> {
  try {
    yield { event: "tick", data: { n: 1 } };
    world.entered.resolve();
    await world.gate.promise;
    yield { event: "tick", data: { n: 2 } };
    throw new DomainError("unavailable", "the source went away");
  } finally {
    world.returned.resolve();
  }
}

const routes = [
  route({
    ...common,
    method: "post",
    path: "/upload",
    body: Upload,
    bodyKind: "stream",
    bodyTypes: ["application/octet-stream"],
    maxBytes: 100_000,
    reply: z.strictObject({ bytes: z.int() }),
    handle: async ({ body, actors }) => {
      actors.entered.resolve();
      return { bytes: (await buffer(body.stream)).length };
    },
  }),
  route({
    ...common,
    method: "get",
    path: "/picture",
    reply: Bytes,
    replyKind: "binary",
    replyType: "image/bmp",
    handle: () => Buffer.from("BM"),
  }),
  route({
    ...common,
    method: "get",
    path: "/events",
    reply: EventStream,
    replyKind: "stream",
    handle: ({ actors }) => ticks(actors),
  }),
  route({
    ...common,
    method: "post",
    path: "/things",
    status: 201,
    body: z.strictObject({ again: z.boolean().default(false) }),
    reply: z.strictObject({ id: z.string() }),
    handle: ({ body }) =>
      body.again ? new Reply({ id: "a" }, { status: 200, headers: { ETag: "1" } }) : { id: "a" },
  }),
  route({
    ...common,
    method: "get",
    path: "/slow",
    query: z.strictObject({ words: z.string().optional() }),
    reply: z.strictObject({ done: z.literal(true) }),
    handle: async ({ actors }) => {
      actors.entered.resolve();
      await actors.gate.promise;
      return { done: true as const };
    },
  }),
  route({
    ...common,
    method: "get",
    path: "/bug",
    reply: z.strictObject({}),
    handle: () => {
      throw new Error("secret detail");
    },
  }),
];

let world: World;
let gateway: Gateway;
let url: string;
let order: string[];

beforeEach(async () => {
  world = {
    gate: Promise.withResolvers(),
    entered: Promise.withResolvers(),
    returned: Promise.withResolvers(),
  };
  order = [];
  const log = openLog("silent");
  const service = new Service<World, string, Policy>({
    name: "test",
    base: "/api/v1",
    routes,
    actors: world,
    anyone: "nobody",
    checks: [() => void order.push("first"), async () => void order.push("second")],
    errors: platformErrors,
    body: { maxBytes: 1_000, maxDepth: 32, timeoutMs: 1_000 },
    around: (exchange, row) => {
      order.push("around");
      return row.handle(exchange);
    },
    log,
    metrics: new Metrics(),
    checkReplies: true,
  });
  const stream = new StateStream({ resources: [], log });
  const guests = new WebSocketServer({ noServer: true });
  gateway = await openGateway({
    service,
    stream,
    upgrades: new Map<string, Upgrade>([
      ["/ws", (...connection) => stream.accept(...connection)],
      ["/guests", (...connection) => guests.handleUpgrade(...connection, () => {})],
    ]),
    listeners: [{ tls: false, host: "127.0.0.1", port: 0 }],
  });
  url = `${gateway.urls[0]}/api/v1`;
});
afterEach(() => gateway.close(200));

const octets = { "content-type": "application/octet-stream" };
const upload = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = octets) =>
  fetch(`${url}/upload`, { method: "POST", body, headers });

describe("bodies and replies of other kinds", () => {
  test("a body is handed on as it arrives, up to its own bound", async () => {
    expect(await (await upload(new Uint8Array(100_000))).json()).toEqual({ bytes: 100_000 });
    expect((await upload(new Uint8Array(100_001))).status).toBe(400);
    expect((await upload(new Uint8Array(1), { "content-type": "text/plain" })).status).toBe(400);
  });

  test("a body without a length is bounded all the same", async () => {
    const reply = await converse(url, (socket) => {
      const head = "POST /api/v1/upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n";
      socket.write(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
      for (let i = 0; i < 30; i++) socket.write(`1000\r\n${"x".repeat(4096)}\r\n`);
      socket.write("0\r\n\r\n");
    });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('{"detail":"body: must be at most 100000 bytes"}');
  });

  test("a binary reply has its own type", async () => {
    const reply = await fetch(`${url}/picture`);
    expect([reply.headers.get("content-type"), await reply.text()]).toEqual(["image/bmp", "BM"]);
    const head = await fetch(`${url}/picture`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "2", ""]);
  });

  test("events are sent as they come, and an error in the middle is an event too", async () => {
    const reply = await fetch(`${url}/events`);
    expect(reply.headers.get("content-type")).toContain("text/event-stream");
    world.gate.resolve();
    expect(await reply.text()).toBe(
      'event: tick\ndata: {"n":1}\n\nevent: tick\ndata: {"n":2}\n\n' +
        'event: error\ndata: {"detail":"the source went away"}\n\n',
    );
  });

  test("a source of events is let go when its client leaves", async () => {
    const leave = new AbortController();
    await fetch(`${url}/events`, { signal: leave.signal });
    await world.entered.promise;
    leave.abort();
    world.gate.resolve();
    await world.returned.promise;
  });

  test("a handler may answer with another status and headers of its own", async () => {
    const send = (body: object) =>
      fetch(`${url}/things`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    expect((await send({})).status).toBe(201);
    expect((await fetch(`${url}/things`, { method: "POST" })).status).toBe(201);
    const again = await send({ again: true });
    expect([again.status, again.headers.get("etag")]).toEqual([200, "1"]);
  });

  test("a defect is a 500 that tells nothing of the inside", async () => {
    const reply = await fetch(`${url}/bug`);
    expect([reply.status, await reply.json()]).toEqual([500, { detail: "something went wrong inside" }]);
  });

  test("a query is checked like a body, and twice the same word is not one", async () => {
    world.gate.resolve();
    expect((await fetch(`${url}/slow?words=a`)).status).toBe(200);
    for (const query of ["words=a&words=b", "wrods=a", "__proto__=a"]) {
      expect((await fetch(`${url}/slow?${query}`)).status).toBe(400);
    }
  });

  test("checks run in their order, all before the handler", async () => {
    await fetch(`${url}/picture`);
    expect(order).toEqual(["first", "second", "around"]);
  });
});

describe("closing", () => {
  test("a request in flight is finished, its connection ended, and new ones are refused", async () => {
    const answer = fetch(`${url}/slow`);
    await world.entered.promise;
    const closed = gateway.close(60_000);
    await expect(fetch(`${url}/picture`)).rejects.toThrow();
    world.gate.resolve();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
    await gateway.close();
  });

  test("a request that takes longer than the budget is cut", async () => {
    const answer = fetch(`${url}/slow`).catch(() => "cut");
    await world.entered.promise;
    await gateway.close(50);
    expect(await answer).toBe("cut");
    world.gate.resolve();
  });

  test("event streams end at once", async () => {
    const reply = await fetch(`${url}/events`);
    await world.entered.promise;
    await gateway.close(60_000);
    expect(await reply.text()).toBe('event: tick\ndata: {"n":1}\n\n');
    world.gate.resolve();
    await world.returned.promise;
  });

  test.each([
    ["/ws", 1001],
    ["/guests", 1006],
  ])("a WebSocket at %s does not hold up the end", async (path, code) => {
    const socket = new WebSocket(`${gateway.urls[0]!.replace("http", "ws")}${path}`);
    await once(socket, "open");
    const left = once(socket, "close");
    await gateway.close(60_000);
    expect((await left)[0]).toBe(code);
  });

  test("an upload in the middle is refused and ended", async () => {
    const ended = converse(url, (socket) => {
      const head = "POST /api/v1/upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n";
      socket.write(`${head}Content-Length: 50000\r\n\r\nabc`);
    });
    await world.entered.promise;
    await gateway.close(60_000);
    expect((await ended).status).toBe(503);
  });
});
