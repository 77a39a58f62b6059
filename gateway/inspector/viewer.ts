import { WebSocket } from "ws";
import type { Protocol } from "./protocol.ts";
import type { Seen } from "./seen.ts";

/** What may wait for one viewer; one that is slower misses steps and is then shown everything anew. */
const maxBufferedBytes = 4 * 1024 * 1024;
/** Entities are without number; those seen longest ago are introduced again. */
const maxKnown = 5_000;

/** One connected inspector. */
export class Viewer {
  protocol: Protocol;
  /** Also hears of the tree itself: states, failures, crash reports. */
  readonly wantsTree: boolean;
  readonly known = new Map<string, Seen>();
  readonly #socket: WebSocket;
  readonly #showAll: (viewer: Viewer) => void;
  #behind = false;

  constructor(socket: WebSocket, protocol: Protocol, wantsTree: boolean, showAll: (viewer: Viewer) => void) {
    this.#socket = socket;
    this.protocol = protocol;
    this.wantsTree = wantsTree;
    this.#showAll = showAll;
  }

  remember(seen: Seen): void {
    this.known.set(seen.sessionId, seen);
    if (this.known.size > maxKnown) this.known.delete(this.known.keys().next().value!);
  }

  send(text: string | null): void {
    if (text === null || this.#behind || this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > maxBufferedBytes) {
      this.#behind = true;
      return;
    }
    this.#socket.send(text, () => this.#catchUp());
  }

  #catchUp(): void {
    if (!this.#behind || this.#socket.bufferedAmount > maxBufferedBytes / 4) return;
    this.#behind = false;
    this.#showAll(this);
  }

  close(): void {
    this.#socket.close(1001);
  }
}
