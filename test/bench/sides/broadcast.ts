/** A server of one stream: `ours`, or `ws` with one prebuilt buffer for each `ws.send`. GET /send?n= sends n events. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { WebSocketServer } from "ws";
import { StateStream } from "../../../gateway/state-stream.ts";

const status = {
  state: "playing",
  mode: "file",
  position: 12_345,
  position_at: "2026-01-01T00:00:00.000Z",
  duration: 300_000,
  volume: 50,
  underrun_count: 0,
  track: "Reciter/001.mp3",
  reciter: "Reciter",
  surah_number: 1,
  advance_mode: "continuous",
  hasResumeState: true,
};

const { accept, send } = process.argv[2] === "ours" ? ours() : prebuilt();

function ours() {
  const resource = { name: "playback", view: () => status, watch: () => () => {} };
  const stream = new StateStream({ resources: [resource], log: pino({ level: "silent" }) });
  const accept: typeof stream.accept = (request, socket, head) => stream.accept(request, socket, head);
  return { accept, send: (n: number) => stream.mutated("playback", `request-${n}`) };
}

function prebuilt() {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const event = { event: "playback", data: status, seq: 123_456, cause: "request-1" };
  const buffer = Buffer.from(JSON.stringify(event));
  const accept: StateStream["accept"] = (request, socket, head) =>
    server.handleUpgrade(request, socket, head, (ws) => {
      server.emit("connection", ws, request);
      ws.send(JSON.stringify({ event: "hello", data: { playback: status }, seq: 1 }));
    });
  const send = (_n: number) => {
    for (const client of server.clients) client.send(buffer, { binary: false });
  };
  return { accept, send };
}

const server = createServer((request, response) => {
  const count = Number(new URL(request.url ?? "", "http://localhost").searchParams.get("n"));
  void sendAll(count).then(() => response.end("sent"));
});

async function sendAll(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    send(n);
    await nextTurn();
  }
}
server.on("upgrade", accept);
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
