import { useSyncExternalStore } from "react";

/** What the state stream sends. */
export interface StreamMessage {
  event: string;
  data: Record<string, unknown>;
  seq: number;
  cause?: string;
}

/** A connection to the state stream that comes back by itself, and the state that it has told so far. */
export class LiveState<T extends object> {
  state: Partial<T> = {};
  connected = false;
  private readonly listeners = new Set<() => void>();
  private snapshot: { state: Partial<T>; connected: boolean } = { state: {}, connected: false };
  private retryMs = 500;
  private socket: WebSocket | null = null;
  private readonly path: string;
  private readonly take: (state: Partial<T>, message: StreamMessage) => Partial<T>;

  constructor(path: string, take: (state: Partial<T>, message: StreamMessage) => Partial<T>) {
    this.path = path;
    this.take = take;
  }

  connect(): void {
    const socket = new WebSocket(new URL(this.path, location.href.replace(/^http/, "ws")));
    this.socket = socket;
    socket.onmessage = ({ data }) => this.hear(JSON.parse(data) as StreamMessage);
    socket.onclose = () => {
      this.connected = false;
      this.tell();
      setTimeout(() => this.socket === socket && this.connect(), this.retryMs);
      this.retryMs = Math.min(10_000, this.retryMs * 2);
    };
  }

  close(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private hear(message: StreamMessage): void {
    if (message.event === "hello") {
      this.connected = true;
      this.retryMs = 500;
    }
    this.state = this.take(this.state, message);
    this.tell();
  }

  private tell(): void {
    this.snapshot = { state: this.state, connected: this.connected };
    for (const listener of this.listeners) listener();
  }

  private readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The state in a component; it is drawn again at each message. */
  readonly use = (): { state: Partial<T>; connected: boolean } =>
    useSyncExternalStore(this.subscribe, () => this.snapshot);
}
