import type { TreeClock } from "../supervisor-spec.ts";

export interface LazySaverOptions<T> {
  clock: TreeClock;
  /** What would be written now. */
  current(): T;
  write(value: T): Promise<void>;
  failed(error: unknown): void;
}

const settleMs = 1_000;
const intervalMs = 10_000;

/**
 * Saves live state without wearing out flash: a second after a person's last change, at most once in ten seconds
 * while it keeps changing, and never the same thing twice.
 */
export class LazySaver<T> {
  readonly #options: LazySaverOptions<T>;
  #lastText: string | undefined;
  #lastWrite = Number.NEGATIVE_INFINITY;
  #soonSince: number | null = null;
  #soonDue = Number.POSITIVE_INFINITY;
  #lazyDue = Number.POSITIVE_INFINITY;
  #timer: unknown;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: LazySaverOptions<T>) {
    this.#options = options;
  }

  /** `soon` for what a person did; otherwise the change may wait until the last write is ten seconds old. */
  touch(soon: boolean): void {
    const now = this.#options.clock.now();
    if (soon) {
      this.#soonSince ??= now;
      this.#soonDue = Math.min(now + settleMs, this.#soonSince + intervalMs);
    } else {
      this.#lazyDue = Math.max(now, this.#lastWrite + intervalMs);
    }
    this.#arm(now);
  }

  /** Writes what there is now, and says whether that worked. */
  flush(): Promise<void> {
    this.#disarm();
    const done = this.#writing.then(() => this.#write());
    this.#writing = done.catch(() => {});
    return done;
  }

  /** Nothing is written any more. May be called twice. */
  close(): void {
    this.#closed = true;
    this.#disarm();
  }

  #arm(now: number): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    if (this.#closed) return;
    const due = Math.min(this.#soonDue, this.#lazyDue);
    this.#timer = clock.setTimeout(() => void this.#save(), Math.max(0, due - now));
  }

  #disarm(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#soonSince = null;
    this.#soonDue = Number.POSITIVE_INFINITY;
    this.#lazyDue = Number.POSITIVE_INFINITY;
  }

  async #save(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#options.failed(error);
      this.touch(false);
    }
  }

  async #write(): Promise<void> {
    const value = this.#options.current();
    const text = JSON.stringify(value);
    if (text === this.#lastText) return;
    this.#lastWrite = this.#options.clock.now();
    await this.#options.write(value);
    this.#lastText = text;
  }
}
