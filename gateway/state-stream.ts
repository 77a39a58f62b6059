/** Pushes state to WebSocket clients: a greeting with everything, then one event for each change. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Logger } from "../drivers/log/log.ts";
import { textFrame } from "./frame.ts";
import { StreamClient } from "./stream-client.ts";

/** Something whose whole view is sent whenever it changes. */
export interface StreamResource {
  name: string;
  /** As its GET shows it; may throw while its actor is away. */
  view(): unknown;
  watch(changed: () => void): () => void;
  /** Something that happens rather than lasts: the same again is news too. */
  repeats?: boolean;
}

/** What sets one client apart: what it may see, and how it is greeted. */
export interface Audience {
  /** Asked for each event, so that permissions may change meanwhile; everything when left out. */
  accepts?(event: string, data: unknown): boolean;
  /** What happens while it is made is sent after it. */
  hello?(): unknown | Promise<unknown>;
}

export interface StreamOptions {
  resources: readonly StreamResource[];
  log: Logger;
  maxClients?: number;
  pingMs?: number;
}

export interface Publication {
  cause?: string;
  /** What a newer event of the same subject makes superfluous; the event's name when left out. */
  subject?: string;
}

const maxPayload = 4 * 1024;
const longestHoldMs = 50;

/** One counter per process; it only grows, over restarts of a stream too. */
let sequence = 0;

export class StateStream {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: false,
  });
  readonly #options: StreamOptions;
  readonly #resources = new Map<string, StreamResource>();
  readonly #clients = new Map<StreamClient, Audience>();
  readonly #changed = new Set<string>();
  readonly #lastSent = new Map<string, string>();
  readonly #countListeners = new Set<(count: number) => void>();
  #stops: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #scheduled = false;
  /** How many mutations of a resource are under way. */
  readonly #held = new Map<string, number>();

  constructor(options: StreamOptions) {
    this.#options = options;
    for (const resource of options.resources) this.#resources.set(resource.name, resource);
  }

  /** Begins to follow the resources. */
  open(): void {
    for (const resource of this.#options.resources) {
      this.#stops.push(resource.watch(() => this.#noteChange(resource.name)));
    }
    this.#timer = setInterval(() => this.#pingAll(), this.#options.pingMs ?? 20_000).unref();
  }

  get clients(): number {
    return this.#clients.size;
  }

  get full(): boolean {
    return this.#clients.size >= (this.#options.maxClients ?? 2_000);
  }

  /** Hears how many clients there are, whenever that changes. */
  watchClients(listener: (count: number) => void): () => void {
    this.#countListeners.add(listener);
    return () => this.#countListeners.delete(listener);
  }

  /** Takes over an upgraded connection that was found fit to listen. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, audience: Audience = {}): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const client = new StreamClient(ws, socket, audience.accepts?.bind(audience));
      if (this.#clients.size === 0) this.#noteViews();
      this.#clients.set(client, audience);
      ws.once("close", () => {
        this.#clients.delete(client);
        this.#tellCount();
      });
      this.#greet(client, audience.hello ? audience.hello() : this.hello());
      this.#tellCount();
    });
  }

  /** The view of every resource; null for one that is away. */
  hello(): Record<string, unknown> {
    const all: Record<string, unknown> = {};
    for (const resource of this.#resources.values()) all[resource.name] = attempt(resource);
    return all;
  }

  /**
   * While a mutation is under way, what it changes waits for the mutation's own event. Only for a moment: a slow one
   * must not hide what happens meanwhile.
   */
  async during<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const release = this.#hold(name);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #hold(name: string): () => void {
    this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    let holds = true;
    const release = () => {
      if (!holds) return;
      holds = false;
      clearTimeout(limit);
      const others = this.#held.get(name)! - 1;
      if (others > 0) this.#held.set(name, others);
      else this.#held.delete(name);
      if (this.#changed.has(name)) this.#noteChange(name);
    };
    const limit = setTimeout(release, longestHoldMs);
    return release;
  }

  /** Sends the event of a mutation at once, also when nothing changed; a pending change goes with it. */
  mutated(name: string, cause: string): void {
    const resource = this.#resources.get(name);
    if (!resource) throw new Error(`the stream has no resource ${name}`);
    this.#changed.delete(name);
    this.#sendView(resource, cause);
  }

  /** Sends something that is not a resource's view. */
  publish(event: string, data: unknown, { cause, subject = event }: Publication = {}): void {
    if (this.#clients.size === 0) return;
    this.#broadcast(event, subject, data, JSON.stringify(data), cause);
  }

  /** Ends every client and follows nothing any more. May be called twice. */
  close(code = 1001, reason = "the service is stopping"): void {
    clearInterval(this.#timer);
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.dropClients(code, reason);
  }

  /** Ends every client, or those that are meant, but goes on: after a reset they come back and are greeted anew. */
  dropClients(code: number, reason: string, meant: (audience: Audience) => boolean = () => true): void {
    for (const [client, audience] of this.#clients) if (meant(audience)) client.close(code, reason);
  }

  /** Drops whoever has not left after `close`. */
  terminate(): void {
    for (const client of this.#clients.keys()) client.terminate();
  }

  /** What the first client is greeted with is known to it; only what differs from that is news. */
  #noteViews(): void {
    for (const resource of this.#resources.values()) {
      const { name } = resource;
      if (!this.#lastSent.has(name)) this.#lastSent.set(name, JSON.stringify(attempt(resource)));
    }
  }

  #greet(client: StreamClient, hello: unknown): void {
    const seq = ++sequence;
    const say = (data: unknown) => client.greet(frameOf("hello", JSON.stringify(data), undefined, seq));
    if (!(hello instanceof Promise)) {
      say(hello);
      return;
    }
    client.hold();
    hello.then(say).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, "a client could not be greeted");
      client.close(1011, "the greeting could not be made");
    });
  }

  #noteChange(name: string): void {
    this.#changed.add(name);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const changed of this.#changed) {
        if (this.#held.has(changed)) continue;
        this.#changed.delete(changed);
        this.#sendView(this.#resources.get(changed)!);
      }
    });
  }

  #sendView(resource: StreamResource, cause?: string): void {
    const { name, repeats } = resource;
    if (this.#clients.size === 0) {
      this.#lastSent.delete(name);
      return;
    }
    try {
      const data = resource.view();
      const text = JSON.stringify(data);
      if (cause === undefined && !repeats && this.#lastSent.get(name) === text) return;
      this.#lastSent.set(name, text);
      this.#broadcast(name, name, data, text, cause);
    } catch (error) {
      this.#options.log.warn({ err: error, resource: name }, "a view could not be sent");
    }
  }

  #broadcast(event: string, subject: string, data: unknown, text: string, cause: string | undefined): void {
    const news = { event, subject, data, frame: frameOf(event, text, cause) };
    for (const client of this.#clients.keys()) client.send(news);
  }

  #pingAll(): void {
    for (const client of this.#clients.keys()) if (!client.ping()) client.terminate();
  }

  #tellCount(): void {
    for (const listener of this.#countListeners) listener(this.#clients.size);
  }
}

function frameOf(event: string, data: string, cause?: string, seq = ++sequence): Buffer {
  const tail = cause === undefined ? "" : `,"cause":${JSON.stringify(cause)}`;
  return textFrame(`{"event":${JSON.stringify(event)},"data":${data},"seq":${seq}${tail}}`);
}

function attempt(resource: StreamResource): unknown {
  try {
    return resource.view();
  } catch {
    return null;
  }
}
