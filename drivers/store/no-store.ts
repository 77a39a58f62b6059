import { DomainError } from "../../machines/errors.ts";
import type { Store } from "./store.ts";

const down = () => Promise.reject(new DomainError("unavailable", "there is no store"));

/** The store of a platform that has none: always down. */
export class NoStore implements Store {
  readonly kind = "sqlite";
  readonly up = false;
  readonly reason = null;
  readonly pending = 0;
  readonly get = down;
  readonly insert = down;
  readonly commit = down;
  readonly delete = down;
  readonly find = down;
  readonly count = down;
  readonly countBy = down;
  readonly insertMany = down;

  async open(): Promise<void> {}
  async close(): Promise<void> {}
  listen(): () => void {
    return () => {};
  }
}
