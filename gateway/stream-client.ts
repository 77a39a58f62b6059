import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { pingFrame } from "./frame.ts";

/** Bytes that may wait in a client's socket before it counts as slow. */
const slowBytes = 256 * 1024;
const maxParked = 2_000;
/** Clients have nothing to say on this stream; a flood of frames ends it. */
const maxHeard = 200;

/** One event on its way to every client, its frame made once for all of them. */
export interface News {
  event: string;
  /** What a newer one of the same subject makes superfluous. */
  subject: string;
  data: unknown;
  frame: Buffer;
}

/** Whether a client may see this now; asked again when it waited, since permissions may have changed. */
type Accepts = (event: string, data: unknown) => boolean;

/** One listener of the stream. A slow one keeps only the newest frame for each subject until its socket drains. */
export class StreamClient {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #accepts: Accepts | undefined;
  readonly #parked = new Map<string, News>();
  #alive = true;
  #heard = 0;
  #held = false;

  constructor(ws: WebSocket, socket: Duplex, accepts?: Accepts) {
    this.#ws = ws;
    this.#socket = socket;
    this.#accepts = accepts;
    ws.on("pong", () => this.#showLife());
    ws.on("message", () => {
      if (++this.#heard > maxHeard) this.close(1008, "this stream takes no messages");
    });
    // Bad frames: the library has answered with the fitting close code already.
    ws.on("error", () => {});
    socket.on("drain", () => this.#flush());
  }

  /** Frames go to the socket as they are: without compression the library would only add a header of its own. */
  send(news: News): void {
    if (this.#ws.readyState !== this.#ws.OPEN || !this.#maySee(news)) return;
    if (!this.#held && this.#parked.size === 0 && this.#socket.writableLength < slowBytes) {
      this.#socket.write(news.frame);
      return;
    }
    // Removed first, so that what waits stays in the order of its sequence numbers.
    this.#parked.delete(news.subject);
    this.#parked.set(news.subject, news);
    if (this.#parked.size > maxParked) this.#ws.terminate();
  }

  /** Keeps what is sent until the greeting. */
  hold(): void {
    this.#held = true;
  }

  /** Sends this first, then what was kept. */
  greet(frame: Buffer): void {
    this.#held = false;
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#socket.write(frame);
    this.#flush();
  }

  /** False when the last ping was never answered and nothing was taken since. */
  ping(): boolean {
    if (!this.#alive) return false;
    this.#alive = false;
    this.#heard = 0;
    if (this.#ws.readyState === this.#ws.OPEN) this.#socket.write(pingFrame);
    return true;
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }

  #showLife(): void {
    this.#alive = true;
  }

  #flush(): void {
    this.#showLife();
    if (this.#held) return;
    for (const [subject, news] of this.#parked) {
      if (this.#socket.writableLength >= slowBytes) return;
      this.#parked.delete(subject);
      if (this.#maySee(news)) this.#socket.write(news.frame);
    }
  }

  #maySee({ event, data }: News): boolean {
    return this.#accepts === undefined || this.#accepts(event, data);
  }
}
