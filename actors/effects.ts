import { createActor, fromCallback } from "xstate";
import type { Logger } from "../drivers/log/log.ts";
import type { Doc, Store } from "../drivers/store/store.ts";
import { DomainError } from "../machines/errors.ts";
import type { Start } from "./client.ts";
import type { StepMeta } from "./entity-kind.ts";
import type { Outstanding } from "./outstanding.ts";
import { Sweep } from "./sweep.ts";

export interface EffectsOptions {
  log: Logger;
  now?: () => number;
  /** How long a process is taken to be at an effect before another may perform it. */
  leaseMs?: number;
  /** How many are performed at once. */
  concurrency?: number;
  /** How many more wait in memory; the rest waits in the store. */
  queue?: number;
  /** How often one is tried before it is given up and said so. */
  attempts?: number;
  backoffMs?: (attempt: number) => number;
  pollMs?: number;
}

type Claimed = Outstanding & { version: number };

/** What a kind of entity does with its own effects. */
interface Performer {
  knows(event: string): boolean;
  perform(effect: Outstanding): Promise<{ type: string } | undefined>;
  tell(id: string, event: { type: string }, meta: StepMeta): Promise<unknown>;
}

/** Refusals that say "later"; every other one is an answer. */
const passing = new Set(["unavailable", "overloaded", "timeout"]);

/**
 * Performs what entity steps decided, at once and after a crash again, always with the same key.
 * What is not finished stands in the store; whoever claims it by a swap performs it.
 */
export class Effects {
  readonly log: Logger;
  readonly leaseMs: number;
  private readonly store: Store;
  private readonly now: () => number;
  private readonly options: Required<
    Pick<EffectsOptions, "concurrency" | "queue" | "attempts" | "backoffMs">
  >;
  private readonly performers = new Map<string, Performer>();
  /** Claimed by this process: being performed, or waiting for its turn. */
  private readonly held = new Map<string, Claimed>();
  private queue: Claimed[] = [];
  private readonly running = new Set<Promise<void>>();
  /** More stood in the store than was taken. */
  private more = false;
  /** Results that could not be told yet, so that the world is not asked twice by this process. */
  private readonly results = new Map<string, { event: { type: string } | undefined }>();
  private first = true;
  private renewal: NodeJS.Timeout | undefined;
  private readonly looks: Sweep;

  constructor(store: Store, options: EffectsOptions) {
    this.store = store;
    this.log = options.log;
    this.now = options.now ?? Date.now;
    this.leaseMs = options.leaseMs ?? 10_000;
    const { concurrency = 64, queue = 5_000, attempts = 12, pollMs = 5_000 } = options;
    const backoffMs = options.backoffMs ?? ((attempt: number) => Math.min(300_000, 500 * 2 ** attempt));
    this.options = { concurrency, queue, attempts, backoffMs };
    this.looks = new Sweep(
      () => this.claimDue(),
      this.now,
      pollMs,
      (error) => this.log.debug({ err: error }, "outstanding effects could not be read"),
    );
  }

  register(kind: string, performer: Performer): void {
    this.performers.set(kind, performer);
  }

  /** How many this process has taken on and not finished. */
  get inFlight(): number {
    return this.held.size;
  }

  start(): void {
    if (this.looks.isOpen) return;
    this.looks.start(this.store);
    this.renewal = setInterval(() => void this.renew(), this.leaseMs / 3).unref();
  }

  /** Nothing new is begun; what is under way has a second to end, or is performed again by the next start. */
  async stop(): Promise<void> {
    const looked = this.looks.stop();
    clearInterval(this.renewal);
    for (const { id } of this.queue.splice(0)) this.held.delete(id);
    await looked;
    const patience = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    await Promise.race([Promise.all(this.running), patience]);
  }

  /** Effects of a step that this process has just stored; they are claimed already. */
  take(effects: readonly Outstanding[]): void {
    if (this.looks.isOpen) for (const effect of effects) this.submit({ ...effect, version: 1 });
  }

  /** Claims and performs what nobody is at. Public so that a clock of a test can drive it. */
  sweep(): Promise<void> {
    return this.looks.run();
  }

  private async claimDue(): Promise<void> {
    // One process has an SQLite file to itself: what it finds at the start was left by its own crash.
    const left = this.first && this.store.kind === "sqlite";
    const at = left ? { gte: 0 } : { lte: this.now() };
    let cursor: string | null = null;
    do {
      if (this.queue.length >= this.options.queue || !this.looks.isOpen) return;
      const page = await this.store.find("outstanding", {
        where: { at },
        sort: [{ field: "at", direction: "asc" }],
        limit: 100,
        ...(cursor ? { cursor } : {}),
      });
      await Promise.all(page.items.map((doc) => this.claim(doc)));
      cursor = page.nextCursor;
    } while (cursor);
    this.first = false;
  }

  private async claim(doc: Doc): Promise<void> {
    const effect = doc as unknown as Claimed;
    if (this.held.has(effect.id) || !this.performers.has(effect.kind) || !this.looks.isOpen) return;
    if (await this.save(effect, { at: this.now() + this.leaseMs })) this.submit(effect);
  }

  private submit(effect: Claimed): void {
    if (this.held.has(effect.id) || !this.looks.isOpen) return;
    if (this.queue.length >= this.options.queue) {
      this.more = true;
      return;
    }
    this.held.set(effect.id, effect);
    this.queue.push(effect);
    this.next();
  }

  private next(): void {
    while (this.running.size < this.options.concurrency && this.queue.length > 0) {
      const run = this.run(this.queue.shift()!).finally(() => {
        this.running.delete(run);
        this.next();
      });
      this.running.add(run);
    }
    if (!this.more || this.queue.length > 0) return;
    this.more = false;
    this.looks.arm(this.now());
  }

  private async run(effect: Claimed): Promise<void> {
    try {
      await this.perform(effect);
    } catch (error) {
      await this.postpone(effect, error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.held.delete(effect.id);
    }
  }

  private async perform(effect: Outstanding): Promise<void> {
    const performer = this.performers.get(effect.kind)!;
    const result = this.results.get(effect.id) ?? { event: await performer.perform(effect) };
    this.results.set(effect.id, result);
    if (result.event) await this.tell(effect, result.event);
    await this.store.delete("outstanding", effect.id);
    this.results.delete(effect.id);
  }

  private async tell(effect: Outstanding, event: { type: string }): Promise<void> {
    const cause = effect.cause === null ? {} : { cause: effect.cause };
    const meta = { actor: "system", at: new Date(this.now()).toISOString(), ...cause };
    try {
      await this.performers.get(effect.kind)!.tell(effect.record.id, event, meta);
    } catch (error) {
      if (!(error instanceof DomainError) || passing.has(error.code)) throw error;
      // Told once before, or the record has moved on or is gone: its answer to the result is no.
      this.log.info(
        { effect: effect.id, event: event.type, code: error.code },
        "the result of an effect was refused",
      );
    }
  }

  private async postpone(effect: Claimed, error: Error): Promise<void> {
    const attempts = effect.attempts + 1;
    const givenUp = attempts >= this.options.attempts;
    const level = givenUp ? "error" : "warn";
    this.log[level](
      { err: error, effect: effect.id, attempts },
      givenUp ? "an effect was given up" : "an effect failed",
    );
    try {
      const waitMs = this.options.backoffMs(attempts);
      const at = givenUp ? null : this.now() + waitMs;
      if (givenUp && this.performers.get(effect.kind)!.knows("EFFECT_FAILED"))
        await this.tell(effect, { type: "EFFECT_FAILED", effect: effect.effect, reason: error.message } as {
          type: string;
        });
      await this.save(effect, { at, attempts, error: error.message });
      if (givenUp) this.results.delete(effect.id);
      else this.looks.arm(this.now() + waitMs);
    } catch (failure) {
      // The store is down: the claim runs out, and the effect is found again by its time.
      this.log.warn({ err: failure, effect: effect.id }, "an effect could not be put off");
    }
  }

  private async save(effect: Claimed, change: Partial<Outstanding>): Promise<boolean> {
    const { version, ...doc } = Object.assign(effect, change);
    const won = await this.store.commit({ collection: "outstanding", version, doc });
    if (won) effect.version = version + 1;
    return won;
  }

  private async renew(): Promise<void> {
    const at = this.now() + this.leaseMs;
    const long = [...this.held.values()].filter(
      (effect) => (effect.at ?? at) - this.now() < (this.leaseMs * 2) / 3,
    );
    await Promise.all(long.map((effect) => this.save(effect, { at }).catch(() => {})));
  }
}

/** The child of the tree that performs effects; without it steps are stored and nothing is done. */
export function startEffects(effects: Effects): Start {
  return ({ inspect }) => {
    const logic = fromCallback(() => {
      effects.start();
      return () => void effects.stop();
    });
    return { ref: createActor(logic, { inspect }).start(), close: () => effects.stop() };
  };
}
