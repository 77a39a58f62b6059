/** The mode this platform was started in, and what that means as long as the store is up or down. */
import type { Store } from "../../drivers/store/store.ts";
import { type Mode, type RuntimeTruth, runtimeTruth } from "../../machines/soc/modes.ts";

export class RuntimeMode {
  readonly mode: Mode;
  /** One process with a file of its own, or several that may share a database. */
  readonly deployment: "standalone" | "shared";
  readonly #store: Pick<Store, "up" | "listen">;

  constructor(mode: Mode, store: Pick<Store, "kind" | "up" | "listen">) {
    this.mode = mode;
    this.deployment = store.kind === "mongodb" ? "shared" : "standalone";
    this.#store = store;
  }

  truth(): RuntimeTruth {
    return runtimeTruth(this.mode, this.#store.up);
  }

  /** Hears the truth whenever it changes. */
  watch(listener: (truth: RuntimeTruth) => void): () => void {
    return this.#store.listen(() => listener(this.truth()));
  }
}
