/** Whether a store can be used, why not, and who wants to know when that changes. */
export class Availability {
  private isUp = false;
  private trouble = "it was not opened";
  private readonly listeners = new Set<(up: boolean) => void>();

  get up(): boolean {
    return this.isUp;
  }

  /** Why it is down, for the log; null while it is up. */
  get reason(): string | null {
    return this.isUp ? null : this.trouble;
  }

  rise(): void {
    this.turn(true);
  }

  fall(why: string): void {
    this.trouble = why;
    this.turn(false);
  }

  listen(listener: (up: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private turn(up: boolean): void {
    if (up === this.isUp) return;
    this.isUp = up;
    for (const listener of [...this.listeners]) listener(up);
  }
}
