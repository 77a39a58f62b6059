/** A WebSocket client that keeps what it heard and can wait for more. */
import { once } from "node:events";
import { WebSocket } from "ws";

export interface Heard {
  event: string;
  data: Record<string, unknown>;
  seq: number;
  cause?: string;
}

export class Listening {
  readonly ws: WebSocket;
  readonly heard: Heard[] = [];
  #wake: (() => void) | undefined;

  constructor(url: string, options: { headers?: Record<string, string>; ca?: string } = {}) {
    this.ws = new WebSocket(url.replace(/^http/, "ws"), options);
    this.ws.on("message", (data) => {
      this.heard.push(JSON.parse(String(data)) as Heard);
      this.#wake?.();
    });
    this.ws.on("error", () => {});
  }

  /** Resolves once something heard so far, or from now on, is as wanted. */
  async until(wanted: (message: Heard) => boolean): Promise<Heard> {
    for (;;) {
      const found = this.heard.find(wanted);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  hello(): Promise<Heard> {
    return this.until(({ event }) => event === "hello");
  }

  async close(): Promise<void> {
    if (this.ws.readyState === WebSocket.CLOSED) return;
    this.ws.close();
    await once(this.ws, "close");
  }
}
