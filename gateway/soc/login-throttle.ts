import { DomainError } from "../../machines/errors.ts";
import type { HeaderSink } from "../limits.ts";

const most = 5;
const windowMs = 60_000;
const keptMost = 50_000;

/** Five wrong passwords in a minute, per user and per address, are enough. */
export class LoginThrottle {
  readonly #now: () => number;
  /** When each key's failures happened, oldest first. */
  readonly #failures = new Map<string, number[]>();
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async guard<T>(
    { username, address }: { username: string; address: string },
    reply: HeaderSink,
    work: () => Promise<T> | T,
  ): Promise<T> {
    const keys = [`user ${username}`, `address ${address}`];
    // Those under way may yet fail: whoever could be one too many waits for one of them to end.
    for (;;) {
      this.#refuse(keys, reply);
      const others = keys.map((key) => this.#crowd(key)).find((crowd) => crowd !== null);
      if (!others) break;
      await Promise.race(others).catch(() => {});
    }
    const login = (async () => work())();
    for (const key of keys) this.#begin(key, login);
    try {
      return await login;
    } catch (error) {
      const failed =
        error instanceof DomainError && (error.code === "unauthorized" || error.field === "current_password");
      if (failed) for (const key of keys) this.#count(key, this.#now());
      throw error;
    } finally {
      for (const key of keys) this.#end(key, login);
    }
  }

  #refuse(keys: readonly string[], reply: HeaderSink): void {
    const at = this.#now();
    const waitMs = Math.max(...keys.map((key) => this.#waitMs(key, at)));
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1_000);
    reply.addHeader("Retry-After", String(seconds));
    throw new DomainError("rate_limited", `too many wrong passwords; try again in ${seconds} s`);
  }

  /** The logins under way, where all of them failing would be enough. */
  #crowd(key: string): ReadonlySet<Promise<unknown>> | null {
    const underWay = this.#underWay.get(key);
    if (!underWay) return null;
    return underWay.size + (this.#failures.get(key)?.length ?? 0) >= most ? underWay : null;
  }

  #begin(key: string, login: Promise<unknown>): void {
    this.#underWay.set(key, (this.#underWay.get(key) ?? new Set()).add(login));
  }

  #end(key: string, login: Promise<unknown>): void {
    const underWay = this.#underWay.get(key);
    underWay?.delete(login);
    if (underWay?.size === 0) this.#underWay.delete(key);
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

  #sweep(at: number): void {
    for (const key of [...this.#failures.keys()]) this.#waitMs(key, at);
  }
}
