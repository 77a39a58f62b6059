import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openLog } from "../../drivers/log/log.ts";
import { type Audience, StateStream, type StreamResource } from "../../gateway/state-stream.ts";
import { Listening } from "./listener.ts";

/** A resource that a test changes by hand. */
class Shelf implements StreamResource {
  readonly name: string;
  value: unknown = 0;
  away = false;
  repeats = false;
  #changed: () => void = () => {};

  constructor(name: string) {
    this.name = name;
  }

  view = () => {
    if (this.away) throw new Error("away");
    return { value: this.value };
  };

  watch = (changed: () => void) => {
    this.#changed = changed;
    return () => {
      this.#changed = () => {};
    };
  };

  set(value: unknown): void {
    this.value = value;
    this.#changed();
  }
}

let server: Server;
let stream: StateStream;
let url: string;
let audience: Audience;
const one = () => shelves[0]!;
let shelves: Shelf[];
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function openStream(pingMs: number): StateStream {
  const opened = new StateStream({ resources: shelves, log: openLog("silent"), pingMs });
  opened.open();
  return opened;
}

beforeEach(async () => {
  audience = {};
  shelves = [new Shelf("one"), new Shelf("two")];
  stream = openStream(20_000);
  server = createServer();
  server.on("upgrade", (request, socket, head) => stream.accept(request, socket, head, audience));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  stream.close();
  stream.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const valuesOf = (listener: Listening, event = "one") =>
  listener.heard.filter((message) => message.event === event).map(({ data }) => data.value);

test("a client is greeted with every view, null for what is away", async () => {
  shelves[1]!.away = true;
  const listener = new Listening(url);
  expect((await listener.hello()).data).toEqual({ one: { value: 0 }, two: null });
});

test("changes of one turn are one event with the last value", async () => {
  const listener = new Listening(url);
  await listener.hello();
  for (let i = 1; i <= 5; i++) one().set(i);
  await listener.until(({ event }) => event === "one");
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  expect(valuesOf(listener)).toEqual([5]);
});

test("a mutation sends exactly one event with its cause and takes the pending change with it", async () => {
  const listener = new Listening(url);
  await listener.hello();
  one().set(1);
  stream.mutated("one", "request-1");
  await turn();
  stream.mutated("one", "request-2");
  await turn();
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  const events = listener.heard.filter(({ event }) => event === "one");
  expect(events.map(({ data, cause }) => [data.value, cause])).toEqual([
    [1, "request-1"],
    [1, "request-2"],
  ]);
});

test("what changes while a mutation is under way waits for the mutation's own event", async () => {
  const listener = new Listening(url);
  await listener.hello();
  await stream.during("one", async () => {
    one().set("shown before it is stored");
    await turn();
    one().set("stored");
  });
  stream.mutated("one", "request-1");
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  const events = listener.heard.filter(({ event }) => event === "one");
  expect(events.map(({ data, cause }) => [data.value, cause])).toEqual([["stored", "request-1"]]);
});

test("a slow mutation does not hide what happens meanwhile, and a refused one does not swallow it", async () => {
  const listener = new Listening(url);
  await listener.hello();
  const slow = Promise.withResolvers<void>();
  const done = stream.during("one", () => slow.promise);
  one().set("buffering");
  await listener.until(({ event }) => event === "one");
  slow.resolve();
  await done;
  const refused = stream.during("one", async () => {
    one().set("something else");
    throw new Error("refused");
  });
  await expect(refused).rejects.toThrow("refused");
  await listener.until(({ data }) => data.value === "something else");
  expect(valuesOf(listener)).toEqual(["buffering", "something else"]);
});

test("a change that shows nothing new sends nothing", async () => {
  const listener = new Listening(url);
  await listener.hello();
  one().set(1);
  await turn();
  one().set(1);
  await turn();
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  expect(valuesOf(listener)).toEqual([1]);
});

test("what happens again is sent again, even when it looks the same", async () => {
  one().repeats = true;
  const listener = new Listening(url);
  await listener.hello();
  for (let i = 0; i < 2; i++) {
    one().set("tap");
    await turn();
  }
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  expect(valuesOf(listener)).toEqual(["tap", "tap"]);
});

test("sequence numbers only grow, over all events and all clients", async () => {
  const first = new Listening(url);
  await first.hello();
  one().set(1);
  await first.until(({ event }) => event === "one");
  const second = new Listening(url);
  await second.hello();
  stream.publish("end", {});
  await Promise.all([first, second].map((each) => each.until(({ event }) => event === "end")));
  const numbers = [...first.heard.slice(0, 2), ...second.heard].map(({ seq }) => seq);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("a client hears only what its filter lets through, also when the filter changes its mind", async () => {
  const allowed = new Set(["one"]);
  audience = { accepts: (event) => event === "end" || allowed.has(event), hello: () => ({ mine: true }) };
  const listener = new Listening(url);
  expect((await listener.hello()).data).toEqual({ mine: true });
  stream.publish("two", { value: 1 });
  stream.publish("one", { value: 1 });
  allowed.delete("one");
  allowed.add("two");
  stream.publish("one", { value: 2 });
  stream.publish("two", { value: 2 });
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  expect([valuesOf(listener, "one"), valuesOf(listener, "two")]).toEqual([[1], [2]]);
});

test("what waits for a slow client is not sent once it may no longer see it", async () => {
  const allowed = new Set(["one", "two", "end"]);
  audience = { accepts: (event) => allowed.has(event) };
  const listener = new Listening(url);
  await listener.hello();
  listener.ws.pause();
  const ballast = "x".repeat(200_000);
  for (let i = 0; i < 200; i++) stream.publish("one", { value: ballast }, { subject: `one ${i}` });
  stream.publish("two", { value: "secret" });
  allowed.delete("two");
  stream.publish("end", {});
  listener.ws.resume();
  await listener.until(({ event }) => event === "end");
  expect(valuesOf(listener)).toHaveLength(200);
  expect(valuesOf(listener, "two")).toEqual([]);
});

test("a slow client loses intermediate states but never the last one of a resource, in order", async () => {
  const listener = new Listening(url);
  await listener.hello();
  listener.ws.pause();
  const ballast = "x".repeat(200_000);
  for (let i = 1; i <= 200; i++) {
    one().value = `${i}${ballast}`;
    stream.mutated("one", `request-${i}`);
    if (i === 150) stream.publish("two", { value: "rare" });
    await turn();
  }
  listener.ws.resume();
  await listener.until(({ event, cause }) => event === "one" && cause === "request-200");
  const numbers = listener.heard.map(({ seq }) => seq);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(valuesOf(listener).length).toBeLessThan(200);
  expect(valuesOf(listener, "two")).toEqual(["rare"]);
});

test("texts of every frame length arrive whole", async () => {
  const listener = new Listening(url);
  await listener.hello();
  const lengths = [0, 1, 70, 80, 90, 125, 126, 200, 65_400, 65_536, 70_000];
  for (const length of lengths)
    stream.publish("one", { value: "é".repeat(length) }, { subject: String(length) });
  stream.publish("end", {});
  await listener.until(({ event }) => event === "end");
  expect(valuesOf(listener).map((value) => String(value).length)).toEqual(lengths);
});

test("a frame that is too large ends the connection with 1009, one that is not UTF-8 with 1007", async () => {
  const large = new Listening(url);
  await large.hello();
  large.ws.send("x".repeat(5_000));
  expect((await once(large.ws, "close"))[0]).toBe(1009);

  const broken = new Listening(url);
  await broken.hello();
  broken.ws.send(Buffer.from([0xff, 0xfe]), { binary: false });
  expect((await once(broken.ws, "close"))[0]).toBe(1007);
});

test("a client that floods the stream with messages is shown out", async () => {
  const listener = new Listening(url);
  await listener.hello();
  for (let i = 0; i < 300; i++) listener.ws.send("?");
  expect((await once(listener.ws, "close"))[0]).toBe(1008);
});

test("a client that answers no ping is dropped, one that does stays", async () => {
  stream.close();
  stream = openStream(50);
  const counts: number[] = [];
  stream.watchClients((count) => counts.push(count));
  const good = new Listening(url);
  await good.hello();
  const dead = new WebSocket(url.replace("http", "ws"), { autoPong: false });
  await once(dead, "close");
  stream.publish("end", {});
  await good.until(({ event }) => event === "end");
  expect(stream.clients).toBe(1);
  expect(counts).toEqual([1, 2, 1]);
});

test("closing tells clients that the service is going away", async () => {
  const listener = new Listening(url);
  await listener.hello();
  stream.close();
  stream.close();
  expect((await once(listener.ws, "close"))[0]).toBe(1001);
  one().set(9);
});
