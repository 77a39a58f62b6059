import { connect, type Socket } from "node:net";
import { type Baseline, startBaseline } from "../load.ts";
import { alternate, type Row, row, timed } from "../measure.ts";

/** State pushed to many clients, against `ws` given one prebuilt buffer. */
export async function measure(): Promise<Row[]> {
  return [await broadcast(100, 300), await broadcast(1_000, 40)];
}

async function broadcast(clients: number, events: number): Promise<Row> {
  const sides = await Promise.all(["ours", "ws"].map((kind) => startBaseline("broadcast.ts", [kind])));
  const audiences = await Promise.all(sides.map((side) => Audience.join(side, clients)));
  const perSecond = (n: number) => async () =>
    (clients * events * 1_000) / (await timed(() => audiences[n]!.hear(events)));
  try {
    await perSecond(0)();
    await perSecond(1)();
    const rates = await alternate(9, perSecond(0), perSecond(1));
    const how = `${clients} raw sockets, ${events} events of 340 bytes a round, each in a turn of its own; ws.send of one prebuilt Buffer`;
    return row(`broadcast to ${clients}`, how, "messages/s", rates, { atLeast: 0.8 });
  } finally {
    for (const audience of audiences) audience.leave();
    await Promise.all(sides.map((side) => side.stop()));
  }
}

/** Bare sockets that count frames by their first byte, so that the listeners cost little. */
class Audience {
  readonly #origin: string;
  readonly #sockets: Socket[] = [];
  #frames = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #done: () => void = () => {};

  constructor(origin: string) {
    this.#origin = origin;
  }

  static async join({ origin }: Baseline, clients: number): Promise<Audience> {
    const audience = new Audience(origin);
    const greeted = audience.#until(clients);
    for (let n = 0; n < clients; n++) audience.#connect();
    await greeted;
    return audience;
  }

  async hear(events: number): Promise<void> {
    const heard = this.#until(this.#frames + events * this.#sockets.length);
    await (await fetch(`${this.#origin}/send?n=${events}`)).text();
    await heard;
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #until(frames: number): Promise<void> {
    this.#wanted = frames;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  #connect(): void {
    const { port, host } = new URL(this.#origin);
    const socket = connect(Number(port), "127.0.0.1");
    const head = `GET /ws HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
    socket.on("error", () => {});
    socket.on("data", (chunk) => this.#count(chunk));
    socket.write(head);
    this.#sockets.push(socket);
  }

  /** The texts are plain ASCII, so 0x81 begins a frame and occurs nowhere else but in a length. */
  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(0x81); at >= 0; at = chunk.indexOf(0x81, at + 4)) this.#frames += 1;
    if (this.#frames >= this.#wanted) this.#done();
  }
}
