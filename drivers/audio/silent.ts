import type { IncomingMessage } from "node:http";
import { DomainError } from "../../machines/errors.ts";
import type { GuardPolicy } from "../stream-guard/address-rules.ts";
import { openGuarded } from "../stream-guard/guarded-request.ts";
import type { AudioDriver, AudioEvent, AudioSource, LoadOptions } from "./audio.ts";
import { namesPlaylist } from "./playlist-file.ts";
import { Position } from "./position.ts";
import { expandPlaylist } from "./stream-addresses.ts";

/** Time as the driver sees it; tests give their own. */
export interface Timers {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

const realTimers: Timers = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export interface SilentOptions {
  policy: GuardPolicy;
  /** How a file's true length is found out; a throw is a file that cannot be played. */
  durationOf(path: string): Promise<number>;
  timers?: Timers;
  reconnectMs?: readonly number[];
}

interface Load {
  token: string;
  source: AudioSource;
  durationMs: number;
  tries: number;
  reply: IncomingMessage | null;
}

const positionEveryMs = 1_000;
const backoff = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000];

/** Plays into nothing, in true time: files have their real length, a stream plays once its bytes arrive. */
export class SilentAudio implements AudioDriver {
  readonly name = "silent";
  readonly #options: SilentOptions;
  readonly #timers: Timers;
  readonly #listeners = new Set<(event: AudioEvent) => void>();
  readonly #position: Position;
  #load: Load | null = null;
  #playing = false;
  #paused = false;
  #cancelEnd = () => {};
  #cancelTick = () => {};
  #cancelRetry = () => {};

  constructor(options: SilentOptions) {
    this.#options = options;
    this.#timers = options.timers ?? realTimers;
    this.#position = new Position(() => this.#timers.now(), Number.POSITIVE_INFINITY);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.#drop();
  }

  async load(source: AudioSource, { token, startMs, paused }: LoadOptions): Promise<void> {
    this.#drop();
    const load: Load = { token, source, durationMs: 0, tries: 0, reply: null };
    this.#load = load;
    this.#paused = paused;
    this.#position.report(startMs);
    void (source.kind === "file" ? this.#openFile(load, source.path) : this.#openStream(load, source.url));
  }

  async pause(): Promise<void> {
    this.#paused = true;
    this.#run();
  }

  async resume(): Promise<void> {
    this.#paused = false;
    this.#run();
  }

  async stop(): Promise<void> {
    this.#drop();
    this.#position.report(0);
  }

  async seek(ms: number): Promise<void> {
    if (!this.#load) throw new Error("nothing is loaded");
    this.#position.report(ms);
    this.#run();
  }

  async setVolume(): Promise<void> {}

  positionMs(): number {
    const limit = this.#load?.durationMs ?? 0;
    return limit > 0 ? Math.min(this.#position.ms, limit) : this.#position.ms;
  }

  listen(listener: (event: AudioEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #openFile(load: Load, path: string): Promise<void> {
    try {
      load.durationMs = await this.#options.durationOf(path);
    } catch (error) {
      this.#fail(load, error instanceof DomainError ? error.message : "the file cannot be read");
      return;
    }
    this.#begin(load);
  }

  async #openStream(load: Load, url: string): Promise<void> {
    const limits = { maxRedirects: 5, headTimeoutMs: 8_000, idleTimeoutMs: 10_000 };
    try {
      const { policy } = this.#options;
      const [address = url] = namesPlaylist(url) ? await expandPlaylist(url, policy) : [url];
      const reply = await openGuarded(address, policy, limits);
      if (this.#load !== load) {
        reply.destroy();
        return;
      }
      load.reply = reply;
      reply.once("data", () => this.#begin(load));
      reply.once("close", () => this.#lost(load));
      reply.on("error", () => reply.destroy());
      reply.resume();
    } catch (error) {
      if (load.tries > 0) this.#lost(load);
      else this.#fail(load, error instanceof Error ? error.message : String(error));
    }
  }

  #begin(load: Load): void {
    if (this.#load !== load) return;
    this.#playing = true;
    const { token, durationMs } = load;
    if (load.tries > 0) this.#emit({ type: "buffering", token, active: false });
    else this.#emit({ type: "loaded", token, durationMs, seekable: load.source.kind === "file" });
    this.#run();
  }

  #lost(load: Load): void {
    if (this.#load !== load || load.source.kind !== "stream") return;
    const { url } = load.source;
    if (!this.#playing && load.tries === 0) {
      this.#fail(load, "the stream ended before any audio came");
      return;
    }
    const wait = (this.#options.reconnectMs ?? backoff)[load.tries++];
    const wasPlaying = this.#playing;
    this.#playing = false;
    this.#run();
    if (wait === undefined) {
      this.#fail(load, "the stream was lost and did not come back");
      return;
    }
    this.#emit({ type: "reconnecting", token: load.token });
    if (wasPlaying) {
      this.#emit({ type: "buffering", token: load.token, active: true });
      this.#emit({ type: "underrun", token: load.token });
    }
    this.#cancelRetry = this.#timers.after(wait, () => void this.#openStream(load, url));
  }

  /** Sets the clock going or holds it, and with it the end of the track. */
  #run(): void {
    const load = this.#load;
    const running = this.#playing && !this.#paused;
    this.#position.run(running);
    this.#cancelEnd();
    this.#cancelTick();
    if (!load || !running) return;
    this.#tick(load);
    if (load.durationMs === 0) return;
    const left = Math.max(0, load.durationMs - this.#position.ms);
    this.#cancelEnd = this.#timers.after(left, () => {
      this.#position.report(load.durationMs);
      this.#drop();
      this.#emit({ type: "ended", token: load.token });
    });
  }

  #tick(load: Load): void {
    this.#cancelTick = this.#timers.after(positionEveryMs, () => {
      this.#emit({ type: "position", token: load.token, ms: this.positionMs() });
      this.#tick(load);
    });
  }

  #fail(load: Load, reason: string): void {
    if (this.#load !== load) return;
    this.#drop();
    this.#emit({ type: "failed", token: load.token, reason });
  }

  #drop(): void {
    const reply = this.#load?.reply;
    this.#load = null;
    this.#playing = false;
    this.#position.run(false);
    this.#cancelEnd();
    this.#cancelTick();
    this.#cancelRetry();
    reply?.destroy();
  }

  #emit(event: AudioEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
