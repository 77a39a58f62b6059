/** Reckons a position between two reports of a player. */
export class Position {
  readonly #now: () => number;
  /** How far to count on without a new report: a player that fell silent must not seem to run. */
  readonly #reachMs: number;
  #ms = 0;
  #at = 0;
  #running = false;

  constructor(now: () => number, reachMs: number) {
    this.#now = now;
    this.#reachMs = reachMs;
  }

  get ms(): number {
    const gone = this.#running ? Math.min(this.#now() - this.#at, this.#reachMs) : 0;
    return Math.max(0, Math.round(this.#ms + gone));
  }

  get running(): boolean {
    return this.#running;
  }

  report(ms: number): void {
    this.#ms = ms;
    this.#at = this.#now();
  }

  run(running: boolean): void {
    if (running === this.#running) return;
    this.report(this.ms);
    this.#running = running;
  }
}
