import { createActor, fromCallback } from "xstate";
import type { Logger } from "../drivers/log/log.ts";
import type { Store } from "../drivers/store/store.ts";
import { DomainError } from "../machines/errors.ts";
import type { Start } from "./client.ts";
import { Sweep } from "./sweep.ts";

export interface TimersOptions {
  log: Logger;
  now?: () => number;
  /** How often one looks for deadlines that another process wrote. */
  pollMs?: number;
}

/** What `timers` needs of an entity host. */
interface Due {
  fellDue(id: string): Promise<number | null>;
}

const pageSize = 200;
/** At once: enough to fill the store's group commit, few enough to leave the loop to requests. */
const lanes = 16;
/** How long a deadline rests that stands in the past although it was told. */
const restMs = 60_000;

/** Turns absolute deadlines in the records into `FELL_DUE`, on time and across restarts. */
export class Timers {
  private readonly store: Store;
  private readonly log: Logger;
  private readonly now: () => number;
  private readonly pollMs: number;
  private readonly hosts = new Map<string, Due>();
  private readonly resting = new Map<string, number>();
  private readonly looks: Sweep;

  constructor(store: Store, { log, now = Date.now, pollMs = 1_000 }: TimersOptions) {
    this.store = store;
    this.log = log;
    this.now = now;
    this.pollMs = pollMs;
    this.looks = new Sweep(
      () => this.tellAll(),
      now,
      pollMs,
      (error) => this.log.debug({ err: error }, "deadlines could not be read"),
    );
  }

  /** Watches a collection whose records carry `due`. */
  register(collection: string, host: Due): void {
    this.hosts.set(collection, host);
  }

  start(): void {
    if (!this.looks.isOpen) this.looks.start(this.store);
  }

  stop(): Promise<void> {
    return this.looks.stop();
  }

  /** A deadline that was just stored: wake for it, should it be the earliest. */
  arm(at: number): void {
    this.looks.arm(at);
  }

  /** Tells all that is due now. Public so that a clock of a test can drive it. */
  sweep(): Promise<void> {
    return this.looks.run();
  }

  private async tellAll(): Promise<void> {
    for (const [key, until] of this.resting) if (until <= this.now()) this.resting.delete(key);
    await Promise.all([...this.hosts].map(([collection, host]) => this.tellDue(collection, host)));
  }

  private async tellDue(collection: string, host: Due): Promise<void> {
    const asked = { sort: [{ field: "due", direction: "asc" }], fields: ["due"] } as const;
    let cursor: string | null = null;
    let seen: number;
    do {
      seen = this.now();
      const page = await this.store.find(collection, {
        ...asked,
        where: { due: { lte: seen } },
        limit: pageSize,
        ...(cursor ? { cursor } : {}),
      });
      const ids = page.items.map(({ id }) => id).values();
      const lane = async () => {
        for (const id of ids) if (this.looks.isOpen) await this.tell(collection, host, id);
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      cursor = page.nextCursor;
    } while (cursor && this.looks.isOpen);
    const soon = { due: { gt: seen, lte: this.now() + this.pollMs } };
    const [next] = (await this.store.find(collection, { ...asked, where: soon, limit: 1 })).items;
    if (next) this.arm(next.due as number);
  }

  private async tell(collection: string, host: Due, id: string): Promise<void> {
    const key = `${collection}/${id}`;
    if (this.resting.has(key)) return;
    try {
      const next = await host.fellDue(id);
      if (next === null) return;
      if (next > this.now()) return this.arm(next);
      this.log.warn({ collection, id }, "a deadline still stands after it was told");
    } catch (error) {
      this.log.warn({ err: error, collection, id }, "a deadline could not be told");
      // The next look in a second finds it again.
      if (error instanceof DomainError && error.code !== "conflict") return;
    }
    // Otherwise the same record would be told again and again, as fast as the store goes.
    this.resting.set(key, this.now() + restMs);
  }
}

/** The child of the tree that keeps deadlines. */
export function startTimers(timers: Timers): Start {
  return ({ inspect }) => {
    const logic = fromCallback(() => {
      timers.start();
      return () => void timers.stop();
    });
    return { ref: createActor(logic, { inspect }).start(), close: () => timers.stop() };
  };
}
