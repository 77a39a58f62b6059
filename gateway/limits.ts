import { DomainError } from "../machines/errors.ts";

export interface Budget {
  limit: number;
  windowMs: number;
}

interface Window {
  count: number;
  endsAt: number;
}

export interface Standing {
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  /** Beyond the budget. */
  exceeded: boolean;
}

/** Takes a header and its value into the reply. */
export interface HeaderSink {
  addHeader(name: string, value: string): void;
}

/** Counts requests per client in fixed windows. Clients are bounded; those beyond the bound share one window. */
export class Limiter {
  readonly #budget: Budget;
  readonly #maxClients: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();
  readonly #overflow: Window = { count: 0, endsAt: 0 };

  constructor(budget: Budget, options: { maxClients?: number; now?: () => number } = {}) {
    this.#budget = budget;
    this.#maxClients = options.maxClients ?? 10_000;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Counts one request; refused ones count too. */
  count(client: string): Standing {
    const now = this.#now();
    const window = this.#windowOf(client, now);
    window.count++;
    const { limit } = this.#budget;
    return {
      limit,
      remaining: Math.max(0, limit - window.count),
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
      exceeded: window.count > limit,
    };
  }

  /** Counts one request, and throws `rate_limited` beyond the budget. */
  take(client: string, reply: HeaderSink): Standing {
    const standing = this.count(client);
    refuseExceeded(standing, reply);
    return standing;
  }

  get clients(): number {
    return this.#windows.size;
  }

  #windowOf(client: string, now: number): Window {
    const known = this.#windows.get(client);
    if (known) return this.#renewed(known, now);
    if (this.#windows.size >= this.#maxClients) this.#sweep(now);
    if (this.#windows.size >= this.#maxClients) return this.#renewed(this.#overflow, now);
    const window = { count: 0, endsAt: now + this.#budget.windowMs };
    this.#windows.set(client, window);
    return window;
  }

  #renewed(window: Window, now: number): Window {
    if (now >= window.endsAt) {
      window.count = 0;
      window.endsAt = now + this.#budget.windowMs;
    }
    return window;
  }

  #sweep(now: number): void {
    for (const [client, window] of this.#windows) if (now >= window.endsAt) this.#windows.delete(client);
  }
}

export function refuseExceeded({ exceeded, resetSeconds }: Standing, reply: HeaderSink): void {
  if (!exceeded) return;
  reply.addHeader("Retry-After", String(resetSeconds));
  throw new DomainError("rate_limited", `too many requests; try again in ${resetSeconds} s`);
}

/** One limiter per rate class. */
export function limitersOf<K extends string>(
  classes: Readonly<Record<K, Budget>>,
  now?: () => number,
): Readonly<Record<K, Limiter>> {
  const entries = Object.entries<Budget>(classes);
  return Object.fromEntries(
    entries.map(([name, budget]) => [name, new Limiter(budget, now ? { now } : {})]),
  ) as Record<K, Limiter>;
}
