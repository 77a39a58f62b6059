import { DomainError } from "../../machines/errors.ts";
import type { HeaderSink } from "../limits.ts";

const most = 5;
const windowMs = 60_000;
const keptMost = 50_000;

/** Five failed logins in a minute, per user and per address, are enough. Those under way count as failed until they are not. */
export class LoginThrottle {
  readonly #now: () => number;
  /** When each key's failures happened, oldest first. */
  readonly #failures = new Map<string, number[]>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async guard<T>(
    { username, address }: { username: string; address: string },
    reply: HeaderSink,
    work: () => Promise<T> | T,
  ): Promise<T> {
    const keys = [`user ${username}`, `address ${address}`];
    const at = this.#now();
    const waits = keys.map((key) => this.#waitMs(key, at));
    const waitMs = Math.max(...waits);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      reply.addHeader("Retry-After", String(seconds));
      throw new DomainError("rate_limited", `too many failed logins; try again in ${seconds} s`);
    }
    for (const key of keys) this.#count(key, at);
    try {
      const result = await work();
      for (const key of keys) this.#forgive(key, at);
      return result;
    } catch (error) {
      const failed = error instanceof DomainError && error.code === "unauthorized";
      if (!failed) for (const key of keys) this.#forgive(key, at);
      throw error;
    }
  }

  #waitMs(key: string, at: number): number {
    const recent = (this.#failures.get(key) ?? []).filter((time) => time > at - windowMs);
    if (recent.length === 0) this.#failures.delete(key);
    else this.#failures.set(key, recent);
    return recent.length < most ? 0 : recent[recent.length - most]! + windowMs - at;
  }

  #count(key: string, at: number): void {
    if (this.#failures.size >= keptMost) this.#sweep(at);
    // Beyond the bound the oldest goes: forgetting one is better than refusing everybody.
    if (this.#failures.size >= keptMost) this.#failures.delete(this.#failures.keys().next().value!);
    this.#failures.set(key, [...(this.#failures.get(key) ?? []), at]);
  }

  #forgive(key: string, at: number): void {
    const times = this.#failures.get(key) ?? [];
    const index = times.indexOf(at);
    if (index >= 0) times.splice(index, 1);
    if (times.length === 0) this.#failures.delete(key);
  }

  #sweep(at: number): void {
    for (const key of [...this.#failures.keys()]) this.#waitMs(key, at);
  }
}
