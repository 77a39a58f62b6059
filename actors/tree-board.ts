import type { Logger } from "../drivers/log/log.ts";
import type { CrashReport } from "./crash-report.ts";
import type { Board, ChildState, TreeClock } from "./supervisor-spec.ts";
import { Entry } from "./tree-entry.ts";

export interface ChildStatus {
  path: string;
  state: ChildState;
  restarts: number;
  /** ISO 8601, UTC: since when it is in this state. */
  since: string;
  /** The last there ever was, also when the child runs again. */
  lastError: string | null;
}

const keptCrashes = 50;

/** Every name of the tree and what is known of it; supervisors write here, clients read. */
export class TreeBoard implements Board {
  readonly crashes: CrashReport[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();
  readonly #log: Logger;
  readonly #clock: TreeClock;

  constructor(log: Logger, clock: TreeClock) {
    this.#log = log;
    this.#clock = clock;
  }

  entry(path: string): Entry {
    const found = this.#entries.get(path);
    if (found !== undefined) return found;
    const onError = (error: unknown) => this.#log.error({ child: path, err: error }, "a listener threw");
    const made = new Entry(path, this.#clock, onError);
    this.#entries.set(path, made);
    return made;
  }

  /** In the order of the tree; the root itself is nobody's child. */
  listed(): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.known && entry.path !== "");
  }

  status(): ChildStatus[] {
    return this.listed().map((entry) => ({
      path: entry.path,
      state: entry.state,
      restarts: entry.restarts,
      since: new Date(entry.since).toISOString(),
      lastError: entry.lastError,
    }));
  }

  watch(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  up(path: string, child: Parameters<Board["up"]>[1]): void {
    this.entry(path).up(child);
  }

  ended(path: string): void {
    this.entry(path).ended();
  }

  expect(path: string): void {
    const entry = this.entry(path);
    entry.known = true;
    entry.moved("starting", null);
  }

  starting(path: string): void {
    this.entry(path).starts += 1;
  }

  moved(path: string, state: ChildState, error: string | null): void {
    const entry = this.entry(path);
    entry.known = true;
    entry.moved(state, error);
    if (state === "degraded" || state === "stopped") {
      for (const each of this.#below(path)) each.moved(state, error);
    }
    this.#tell();
  }

  removed(path: string): void {
    for (const each of [this.entry(path), ...this.#below(path)]) {
      each.known = false;
      each.moved("stopped", null);
    }
    this.#tell();
  }

  crashed(report: Omit<CrashReport, "restarts">): void {
    const whole = { ...report, restarts: this.entry(report.path).restarts };
    const before = this.crashes.findLast(({ path }) => path === report.path);
    this.crashes.push(whole);
    if (this.crashes.length > keptCrashes) this.crashes.shift();
    const name = report.path || "the tree";
    // The same once more says nothing new but how often; whole reports would bury the first one.
    if (before?.reason === report.reason)
      this.#log.warn({ restarts: whole.restarts }, `${name} failed again: ${report.reason}`);
    else this.#log.error({ crash: whole }, `${name} failed: ${report.reason}`);
    this.#tell();
  }

  #below(path: string): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.path.startsWith(`${path}/`));
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#log.error({ err: error }, "a listener threw");
      }
    }
  }
}
