import { DomainError } from "../../machines/errors.ts";
import type { Hotspot, NetworkDriver } from "./network.ts";

/** Plays a house with networks: every one can be joined unless `reachable` says otherwise. */
export class MemoryNetwork implements NetworkDriver {
  readonly name = "memory";
  current: string | null;
  /** `false` refuses, `"never"` does not answer. */
  reachable: (ssid: string) => boolean | "never" = () => true;
  private readonly known = new Set<string>();
  private readonly listeners = new Set<(ssid: string | null) => void>();
  private giveUp: (() => void) | null = null;

  constructor(current: string | null = null) {
    this.current = current;
    if (current !== null) this.known.add(current);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.giveUp?.();
    this.listeners.clear();
  }

  async look(): Promise<{ ssid: string | null; known: boolean }> {
    return { ssid: this.current, known: this.known.size > 0 };
  }

  async join(ssid: string, _password: string): Promise<void> {
    await this.abandon();
    const answer = this.reachable(ssid);
    if (answer === "never") {
      const { promise, reject } = Promise.withResolvers<never>();
      this.giveUp = () => reject(new DomainError("unavailable", `${ssid} was given up`));
      return promise;
    }
    if (!answer) throw new DomainError("unavailable", `${ssid} could not be joined`);
    this.known.add(ssid);
    this.current = ssid;
  }

  async abandon(): Promise<void> {
    this.giveUp?.();
    this.giveUp = null;
  }

  async goBack(ssid: string): Promise<void> {
    if (!this.known.has(ssid)) throw new DomainError("unavailable", `${ssid} is not known`);
    this.current = ssid;
  }

  async openHotspot(): Promise<Hotspot> {
    this.current = null;
    return { ssid: "minaret-setup", password: "stand-in" };
  }

  listen(listener: (ssid: string | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The network that the device is in comes or goes by itself. */
  change(ssid: string | null): void {
    this.current = ssid;
    for (const listener of this.listeners) listener(ssid);
  }
}
