/** Whether a store can be used, and who wants to know when that changes. */
export class Availability {
  private state = false;
  private readonly listeners = new Set<(up: boolean) => void>();

  get up(): boolean {
    return this.state;
  }

  set up(up: boolean) {
    if (up === this.state) return;
    this.state = up;
    for (const listener of [...this.listeners]) listener(up);
  }

  listen(listener: (up: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
