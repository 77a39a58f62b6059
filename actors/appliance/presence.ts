/** Who is there: how many watch the state stream, and that somebody asked for something. Outlives its listeners. */
export class Presence {
  #clients = 0;
  /** Kept by the power actor, so that a status poll costs nothing and delays nothing while the device is awake. */
  sleeping = false;
  readonly #counted = new Set<() => void>();
  readonly #touched = new Set<() => void>();

  get clients(): number {
    return this.#clients;
  }

  /** One more is somebody who has just come. */
  count(clients: number): void {
    const came = clients > this.#clients;
    this.#clients = clients;
    for (const listener of this.#counted) listener();
    if (came) this.touch(false);
  }

  /** Called for every request; a mere look matters only to a sleeping device. */
  touch(mutates: boolean): void {
    if (!mutates && !this.sleeping) return;
    for (const listener of this.#touched) listener();
  }

  listen(counted: () => void, touched: () => void): () => void {
    this.#counted.add(counted);
    this.#touched.add(touched);
    return () => {
      this.#counted.delete(counted);
      this.#touched.delete(touched);
    };
  }
}
