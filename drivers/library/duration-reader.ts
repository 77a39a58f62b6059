import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListedReciter, Listing } from "../../machines/appliance/library-listing.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Store } from "../store/store.ts";

const collection = "durations";
const reportEveryMs = 1_000;

/** What is remembered of a file: its size and time when it was read, and its length (0: unreadable). */
type Remembered = [size: number, mtimeMs: number, durationMs: number];

export interface DurationReaderOptions {
  card: string;
  store: Store;
  durationOf(path: string): Promise<number>;
}

/** Reads the lengths of a listing one file at a time, and no file twice that has not changed. */
export class DurationReader {
  readonly #options: DurationReaderOptions;
  #round = 0;
  /** How many files were opened, ever. */
  filesRead = 0;

  constructor(options: DurationReaderOptions) {
    this.#options = options;
  }

  /** Ends whatever round runs. */
  stop(): void {
    this.#round++;
  }

  /** Goes through the listing and reports in batches; a newer round or `stop` ends it early. */
  async read(listing: Listing, report: (durations: ReadonlyMap<string, number>) => void): Promise<void> {
    const round = ++this.#round;
    let batch = new Map<string, number>();
    let reportedAt = performance.now();
    for (const reciter of listing.reciters) {
      if (round !== this.#round) return;
      if (reciter.tracks.every(({ durationMs }) => durationMs > 0)) continue;
      for (const [path, durationMs] of await this.#reciter(reciter, round)) batch.set(path, durationMs);
      if (batch.size > 0 && performance.now() - reportedAt > reportEveryMs) {
        report(batch);
        batch = new Map();
        reportedAt = performance.now();
      }
    }
    if (round === this.#round && batch.size > 0) report(batch);
  }

  async #reciter(reciter: ListedReciter, round: number): Promise<Map<string, number>> {
    const { store, card, durationOf } = this.#options;
    const doc = await store.get(collection, reciter.path);
    const before = (doc?.files ?? {}) as Record<string, Remembered>;
    const after: Record<string, Remembered> = {};
    const found = new Map<string, number>();
    let changed = Object.keys(before).length !== reciter.tracks.length;
    for (const { path, size, mtimeMs, durationMs } of reciter.tracks) {
      if (round !== this.#round) return found;
      const known = before[path];
      const same = known !== undefined && known[0] === size && known[1] === mtimeMs;
      if (!same) {
        changed = true;
        this.filesRead++;
        await nextTurn();
      }
      const length = same ? known[2] : await durationOf(join(card, path)).catch(unplayable);
      if (length === null) continue;
      after[path] = [size, mtimeMs, length];
      if (length > 0 && length !== durationMs) found.set(path, length);
    }
    if (changed) {
      const commit = { collection, version: doc?.version ?? 0, doc: { id: reciter.path, files: after } };
      await store.commit(commit);
    }
    return found;
  }
}

/** A file that holds no audio will not hold any next time; one that could not be read may well be. */
function unplayable(error: unknown): 0 | null {
  return error instanceof DomainError ? 0 : null;
}
