import { SimulatedClock } from "xstate";

/** A simulated clock that can go to whatever is due next. */
export class WalkClock extends SimulatedClock {
  private readonly due = new Map<number, number>();

  override setTimeout(fn: (...args: unknown[]) => void, timeout: number): number {
    const id = super.setTimeout((...args: unknown[]) => {
      this.due.delete(id);
      fn(...args);
    }, timeout);
    this.due.set(id, this.now() + timeout);
    return id;
  }

  override clearTimeout(id: number): void {
    this.due.delete(id);
    super.clearTimeout(id);
  }

  /** False when nothing is waiting. */
  advanceToNext(): boolean {
    if (this.due.size === 0) return false;
    this.increment(Math.max(0, Math.min(...this.due.values()) - this.now()));
    return true;
  }
}
