import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type RunningService, startService } from "../service.ts";

let service: RunningService;
afterEach(() => service.discard());

/** A request whose body is only half there, so that it is under way for as long as the test wants. */
async function halfARequest(): Promise<{ socket: Socket; finish(): void; reply: Promise<string> }> {
  const body = JSON.stringify({ name: "in flight", url: "http://192.0.2.1/radio" });
  const socket = connect(Number(new URL(service.appliance).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk))).on("error", () => {});
  const reply = once(socket, "close").then(() => text);
  const head = [
    "POST /api/radio/stations HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${service.token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await new Promise((sent) => socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 9)}`, sent));
  // Answered later than the half request was read: both came in on loopback, in this order.
  await fetch(`${service.appliance}/api/playback/status`);
  return { socket, finish: () => socket.write(body.slice(9)), reply };
}

const refusesConnections = async (origin: string) => {
  for (;;) {
    const refused = await fetch(origin, { headers: { connection: "close" } }).then(
      (reply) => reply.arrayBuffer().then(() => false),
      () => true,
    );
    if (refused) return;
  }
};

it("finishes what is under way, closes its listeners and ends with 0", async () => {
  service = await startService("appliance");
  const listener = new WebSocket(`${service.appliance.replace("http", "ws")}/ws`);
  const closed = once(listener, "close") as Promise<[number]>;
  await once(listener, "message");
  const { finish, reply } = await halfARequest();
  const ended = service.stop();
  expect((await closed)[0]).toBe(1001);
  await refusesConnections(service.appliance);
  finish();
  const answer = await reply;
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer).toContain('"name":"in flight"');
  expect(await ended).toBe(0);
  service = await startService("appliance", { home: service.home });
  const kept = await fetch(`${service.appliance}/api/radio/stations`);
  expect(await kept.json()).toMatchObject({ stations: [{ name: "in flight" }] });
});

it("takes a signal that npm and the terminal both deliver as one", async () => {
  service = await startService("appliance");
  const { finish, reply } = await halfARequest();
  const ended = service.stop();
  service.process.kill("SIGINT");
  service.process.kill("SIGTERM");
  await refusesConnections(service.appliance);
  finish();
  expect(await reply).toMatch(/^HTTP\/1.1 200 /);
  expect(await ended).toBe(0);
});

it("ends at once for whoever insists", async () => {
  service = await startService("appliance");
  await halfARequest();
  const ended = service.stop();
  const insist = setInterval(() => service.process.kill("SIGTERM"), 100);
  try {
    expect(await ended).toBe(130);
  } finally {
    clearInterval(insist);
  }
});

it("does not wait for ever for a client that never finishes", async () => {
  service = await startService("appliance");
  const { reply } = await halfARequest();
  expect(await service.stop()).toBe(0);
  expect(await reply).not.toContain(" 200 ");
});
