/** Compares the wall clock with the monotonic one, once a second. Slewing is followed; a step is reported. */
export interface JumpWatchOptions {
  wall(): number;
  monotonic?(): number;
  jumped(byMs: number): void;
  everyMs?: number;
}

/** NTP slews at half a millisecond per second; a step is larger than anything a busy loop can fake. */
const smallestJumpMs = 500;

export class JumpWatch {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  readonly #jumped: (byMs: number) => void;
  readonly #everyMs: number;
  #difference = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: JumpWatchOptions) {
    this.#wall = options.wall;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#jumped = options.jumped;
    this.#everyMs = options.everyMs ?? 1_000;
  }

  start(): void {
    this.#difference = this.#wall() - this.#monotonic();
    this.#timer ??= setInterval(() => this.look(), this.#everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Also called right after the clock was set, so that nobody waits a second for it. */
  look(): void {
    const difference = this.#wall() - this.#monotonic();
    const byMs = difference - this.#difference;
    this.#difference = difference;
    if (Math.abs(byMs) >= smallestJumpMs) this.#jumped(byMs);
  }
}
