import type { NfcDriver, ReaderEvent } from "./nfc.ts";

/** A reader without hardware: somebody else moves the card. */
export class VirtualReader implements NfcDriver {
  readonly name = "memory";
  readonly #listeners = new Set<(event: ReaderEvent) => void>();

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  listen(listener: (event: ReaderEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tap(uid: string): void {
    this.#tell({ type: "seen", uid });
  }

  remove(): void {
    this.#tell({ type: "lost" });
  }

  #tell(event: ReaderEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
