import type { ClockDriver, ClockEvent, TimeSource } from "./clock.ts";
import { JumpWatch } from "./jump-watch.ts";

/** An offset over the host's clock, which it takes for the network's; nothing on the host is ever set. */
export class MemoryClock implements ClockDriver {
  readonly name = "memory";
  readonly rtcTemperature = null;
  offsetMs = 0;
  source: TimeSource;
  readonly #host: () => number;
  readonly #listeners = new Set<(event: ClockEvent) => void>();
  readonly #watch: JumpWatch;

  constructor(options: { source?: TimeSource; host?: () => number; monotonic?: () => number } = {}) {
    this.source = options.source ?? "sntp";
    this.#host = options.host ?? Date.now;
    this.#watch = new JumpWatch({
      wall: () => this.now(),
      ...(options.monotonic && { monotonic: options.monotonic }),
      jumped: (byMs) => this.#tell({ type: "jumped", byMs }),
    });
  }

  async open(): Promise<void> {
    this.#watch.start();
  }

  async close(): Promise<void> {
    this.#watch.stop();
  }

  now(): number {
    return this.#host() + this.offsetMs;
  }

  async setTime(epoch: number): Promise<void> {
    this.offsetMs = epoch * 1000 - this.#host();
    this.source = "manual";
    this.#tell({ type: "source", source: "manual" });
    this.#watch.look();
  }

  listen(listener: (event: ClockEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event: ClockEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
