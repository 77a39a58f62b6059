import type { Store } from "../drivers/store/store.ts";

/** A look at the store that comes again: at the latest after `pollMs`, earlier when asked for, one at a time. */
export class Sweep {
  readonly #look: () => Promise<void>;
  readonly #now: () => number;
  readonly #pollMs: number;
  readonly #onError: (error: unknown) => void;
  #open = false;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  #following: Promise<void> | null = null;
  #unlisten = () => {};

  constructor(
    look: () => Promise<void>,
    now: () => number,
    pollMs: number,
    onError: (error: unknown) => void,
  ) {
    this.#look = look;
    this.#now = now;
    this.#pollMs = pollMs;
    this.#onError = onError;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Looks at once, and whenever the store is back. */
  start(store: Store): void {
    this.#open = true;
    this.#unlisten = store.listen((up) => up && this.arm(this.#now()));
    this.arm(this.#now());
  }

  async stop(): Promise<void> {
    this.#open = false;
    this.#unlisten();
    this.#wakesAt = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Wakes at this time, should it be the earliest. */
  arm(at: number): void {
    if (!this.#open || at >= this.#wakesAt) return;
    this.#wakesAt = at;
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.max(0, at - this.#now()), this.#pollMs);
    this.#timer = setTimeout(() => void this.run(), waitMs).unref();
  }

  /** Looks now. While it does so already, once more afterwards: it may have passed what is new. */
  run(): Promise<void> {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    if (this.#running) {
      this.#following ??= this.#running.then(() => {
        this.#following = null;
        return this.run();
      });
      return this.#following;
    }
    this.#running = this.#look()
      .catch(this.#onError)
      .finally(() => {
        this.#running = null;
        this.arm(this.#now() + this.#pollMs);
      });
    return this.#running;
  }
}
