import { type FSWatcher, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export interface CardWatchOptions {
  /** Quiet time after the last change before it is reported. */
  settleMs?: number;
  /** A card that is being filled is reported this often. */
  longestMs?: number;
  /** How often to look whether the card itself came or went: a mount makes no sound. */
  pollMs?: number;
  /** How often to report blindly where folders cannot be watched. */
  blindMs?: number;
}

/** Tells that the card or something on it changed, and that it came or went. */
export class CardWatch {
  readonly #card: string;
  readonly #onChange: () => void;
  readonly #limits: Required<CardWatchOptions>;
  readonly #watchers = new Map<string, FSWatcher>();
  #identity = "";
  #open = false;
  #poll: NodeJS.Timeout | undefined;
  #settle: NodeJS.Timeout | undefined;
  #changedAt = 0;
  #blind = false;
  #lastBlindAt = 0;

  constructor(card: string, onChange: () => void, options: CardWatchOptions = {}) {
    this.#card = card;
    this.#onChange = onChange;
    this.#limits = { settleMs: 300, longestMs: 2_000, pollMs: 2_000, blindMs: 30_000, ...options };
  }

  async open(): Promise<void> {
    this.#open = true;
    this.#identity = await this.#look();
    await this.#follow();
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#poll);
    clearTimeout(this.#settle);
    this.#forget();
  }

  #schedule(): void {
    if (this.#open) this.#poll = setTimeout(() => void this.#check(), this.#limits.pollMs);
  }

  async #check(): Promise<void> {
    const identity = await this.#look();
    if (identity !== this.#identity) {
      this.#identity = identity;
      // Another file system lies there now; the old watches belong to the one beneath.
      this.#forget();
      this.#changed();
    } else if (this.#blind && performance.now() - this.#lastBlindAt > this.#limits.blindMs) {
      this.#lastBlindAt = performance.now();
      this.#changed();
    }
    this.#schedule();
  }

  async #look(): Promise<string> {
    return stat(this.#card).then(
      ({ dev, ino, mtimeMs }) => `${dev}:${ino}:${mtimeMs}`,
      () => "absent",
    );
  }

  /** One watch per folder: a recursive one would take a watch for each of 11,400 files. */
  async #follow(): Promise<void> {
    const entries = await readdir(this.#card, { withFileTypes: true }).catch(() => []);
    const folders = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith("."));
    const wanted = new Set(
      this.#identity === "absent" ? [] : [this.#card, ...folders.map(({ name }) => join(this.#card, name))],
    );
    for (const [folder, watcher] of this.#watchers)
      if (!wanted.has(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    if (!this.#open) return;
    this.#blind = false;
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#changed());
      watcher.on("error", () => this.#drop(folder, watcher));
      this.#watchers.set(folder, watcher);
    } catch {
      this.#blind = true;
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
    this.#changed();
  }

  #changed(): void {
    if (!this.#open) return;
    const now = performance.now();
    if (this.#settle === undefined) this.#changedAt = now;
    clearTimeout(this.#settle);
    const { settleMs, longestMs } = this.#limits;
    const wait = Math.max(0, Math.min(settleMs, this.#changedAt + longestMs - now));
    this.#settle = setTimeout(() => void this.#report(), wait);
  }

  async #report(): Promise<void> {
    this.#settle = undefined;
    this.#identity = await this.#look();
    await this.#follow();
    if (this.#open) this.#onChange();
  }

  #forget(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
