import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type { GuardPolicy } from "../stream-guard/address-rules.ts";
import { GuardProxy } from "../stream-guard/proxy.ts";
import type { AudioDriver, AudioEvent, AudioSource, LoadOptions } from "./audio.ts";
import { failureReason } from "./failure-reason.ts";
import { isLive, type Load, newLoad, titleOf } from "./mpv-load.ts";
import { type MpvMessage, MpvProcess } from "./mpv-process.ts";
import { namesPlaylist } from "./playlist-file.ts";
import { Position } from "./position.ts";
import { expandPlaylist } from "./stream-addresses.ts";

export interface MpvOptions {
  policy: GuardPolicy;
  program?: string;
  ao?: string;
  /** How long to wait before each new try of a dropped stream; after the last it has failed. */
  reconnectMs?: readonly number[];
}

const observed = ["time-pos", "duration", "paused-for-cache", "seekable", "metadata"] as const;
const positionEveryMs = 1_000;
/** A stream that held this long was back; its next drop starts the waiting times anew. */
const steadyMs = 10_000;
const backoff = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000];

/** Plays through an mpv process of its own, over its JSON IPC. */
export class MpvAudio implements AudioDriver {
  readonly name = "mpv";
  readonly #options: MpvOptions;
  readonly #proxy: GuardProxy;
  readonly #mpv: MpvProcess;
  readonly #listeners = new Set<(event: AudioEvent) => void>();
  readonly #position = new Position(() => performance.now(), 500);
  #load: Load | null = null;
  #paused = false;
  #volume = 100;
  #buffering = false;
  /** Reports that came before mpv named the entry they may belong to. */
  #held: MpvMessage[] = [];
  #unnamed = 0;
  /** The entry that mpv speaks of in reports without a number. */
  #playing = 0;
  #lastPositionAt = Number.NEGATIVE_INFINITY;

  constructor(options: MpvOptions) {
    this.#options = options;
    this.#proxy = new GuardProxy(options.policy);
    // The proxy's address is known only once it is open.
    const proxy = this.#proxy;
    this.#mpv = new MpvProcess({
      program: options.program ?? "mpv",
      ...(options.ao ? { ao: options.ao } : {}),
      get proxyUrl() {
        return proxy.url;
      },
      onMessage: (message) => this.#take(message),
      onDied: (reason) => this.#died(reason),
    });
  }

  /** The player's process, for whoever wants to see it die. */
  get pid(): number | undefined {
    return this.#mpv.pid;
  }

  async open(): Promise<void> {
    await this.#proxy.open();
    await this.#mpv.open();
    await this.#mpv.command("request_log_messages", "warn");
    await Promise.all(observed.map((name, index) => this.#mpv.command("observe_property", index + 1, name)));
  }

  async close(): Promise<void> {
    this.#drop();
    await this.#mpv.close();
    await this.#proxy.close();
  }

  async load(source: AudioSource, options: LoadOptions): Promise<void> {
    this.#drop();
    const load = newLoad(source, options);
    this.#load = load;
    this.#paused = options.paused;
    this.#volume = options.volume;
    this.#buffering = false;
    this.#position.run(false);
    this.#position.report(options.startMs);
    if (source.kind === "file" || !namesPlaylist(source.url)) return this.#start(load, options.startMs);
    await this.#mpv.command("stop");
    await this.#expand(load);
  }

  async pause(): Promise<void> {
    this.#paused = true;
    const done = this.#mpv.command("set_property", "pause", true);
    const at = this.#mpv.command("get_property", "time-pos").catch(() => null);
    this.#run();
    await done;
    const seconds = await at;
    if (typeof seconds === "number") this.#position.report(seconds * 1_000);
  }

  async resume(): Promise<void> {
    this.#paused = false;
    await this.#mpv.command("set_property", "pause", false);
    this.#run();
  }

  async stop(): Promise<void> {
    this.#drop();
    this.#position.run(false);
    this.#position.report(0);
    await this.#mpv.command("stop");
  }

  async seek(ms: number): Promise<void> {
    const load = this.#load;
    if (!load?.loaded) throw new Error("nothing is loaded");
    load.seeking = true;
    load.sought = true;
    // At once, so that whoever asks before mpv has answered does not hear of the old place.
    this.#position.report(ms);
    try {
      await this.#mpv.command("seek", ms / 1_000, "absolute+exact");
    } catch (error) {
      load.seeking = false;
      throw error;
    }
  }

  async setVolume(volume: number): Promise<void> {
    this.#volume = volume;
    await this.#mpv.command("set_property", "volume", volume);
  }

  positionMs(): number {
    const { ms } = this.#position;
    const limit = this.#load?.durationMs ?? 0;
    return limit > 0 ? Math.min(ms, limit) : ms;
  }

  listen(listener: (event: AudioEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Volume and pause first, in one go with the source: it must not start at the old volume. */
  async #start(load: Load, startMs: number): Promise<void> {
    if (this.#load !== load) return;
    load.entry = 0;
    load.over = false;
    load.logged = [];
    this.#unnamed++;
    const options = optionsOf(load.source, startMs);
    try {
      const [, , named] = await Promise.all([
        this.#mpv.command("set_property", "volume", this.#volume),
        this.#mpv.command("set_property", "pause", this.#paused),
        this.#mpv.command("loadfile", load.address, "replace", ...(options ? [options] : [])),
      ]);
      load.entry = (named as { playlist_entry_id: number }).playlist_entry_id;
    } finally {
      this.#unnamed--;
      if (this.#unnamed === 0) for (const message of this.#held.splice(0)) this.#report(message);
    }
  }

  /** Reads the playlist behind the address and starts its first stream. */
  async #expand(load: Load): Promise<void> {
    load.expanded = true;
    try {
      const [first, ...others] = await expandPlaylist(load.address, this.#options.policy);
      if (this.#load !== load) return;
      if (load.entry > 0 && first === load.address) throw new Error("this is not audio that can be played");
      load.address = first ?? load.address;
      load.others = others;
    } catch (error) {
      return this.#fail(load, error instanceof Error ? error.message : String(error));
    }
    await this.#start(load, load.startMs);
  }

  #take(message: MpvMessage): void {
    if (this.#unnamed > 0) this.#held.push(message);
    else this.#report(message);
  }

  #report(message: MpvMessage): void {
    const load = this.#load;
    if (message.event === "start-file") this.#playing = message.playlist_entry_id ?? 0;
    if (!load || load.entry === 0) return;
    if (message.event === "end-file" && message.playlist_entry_id === load.entry) this.#over(load, message);
    // mpv hands out its log last: what explains the end of a file comes after it.
    const isOver = this.#playing === 0 && load.over;
    if (message.event === "log-message" && (isOver || this.#playing === load.entry))
      this.#logged(load, message);
    if (this.#playing !== load.entry) return;
    if (message.event === "playback-restart") this.#restarted(load);
    else if (message.event === "property-change") this.#changed(load, message);
  }

  #restarted(load: Load): void {
    load.seeking = false;
    const wasFlowing = load.flowingSince !== null;
    load.flowingSince ??= performance.now();
    if (load.loaded && !wasFlowing) this.#setBuffering(load, false);
    this.#run();
    if (load.started) return;
    load.started = true;
    const ask = (name: string) => this.#mpv.command("get_property", name).catch(() => null);
    // Asked for, since mpv delivers changes of properties after events: they may still be on their way.
    void Promise.all(["duration", "seekable", "partially-seekable", "time-pos"].map(ask)).then(
      ([duration, seekable, partially, at]) => {
        // Without a position the file is over already, and its end says whether anything was heard.
        if (typeof at === "number") this.#announce(load, duration, seekable === true && partially !== true);
      },
    );
  }

  #announce(load: Load, duration: unknown, seekable: boolean): void {
    if (this.#load !== load || load.loaded) return;
    load.loaded = true;
    const known = load.source.kind === "file" || seekable;
    load.durationMs = known && typeof duration === "number" ? Math.round(duration * 1_000) : 0;
    this.#emit({ type: "loaded", token: load.token, durationMs: load.durationMs, seekable });
    if (load.title) this.#emit({ type: "metadata", token: load.token, title: load.title });
  }

  #changed(load: Load, { name, data }: MpvMessage): void {
    if (name === "time-pos" && typeof data === "number" && load.flowingSince !== null) {
      if (load.seeking) return;
      this.#position.report(data * 1_000);
      const now = performance.now();
      if (!load.loaded || now - this.#lastPositionAt < positionEveryMs) return;
      this.#lastPositionAt = now;
      this.#emit({ type: "position", token: load.token, ms: this.positionMs() });
    } else if (
      name === "duration" &&
      typeof data === "number" &&
      load.loaded &&
      load.source.kind === "file"
    ) {
      load.durationMs = Math.round(data * 1_000);
    } else if (name === "paused-for-cache" && typeof data === "boolean" && load.loaded) {
      this.#setBuffering(load, data);
    } else if (name === "metadata" && load.source.kind === "stream") {
      const title = titleOf(data);
      if (title === "" || title === load.title) return;
      load.title = title;
      if (load.loaded) this.#emit({ type: "metadata", token: load.token, title });
    }
  }

  #setBuffering(load: Load, active: boolean): void {
    if (active === this.#buffering) return;
    this.#buffering = active;
    this.#run();
    this.#emit({ type: "buffering", token: load.token, active });
    // Filling the cache after a seek is nobody's fault; running dry is.
    if (active && !load.seeking) this.#emit({ type: "underrun", token: load.token });
  }

  #logged(load: Load, { prefix = "", text = "" }: MpvMessage): void {
    if (load.logged.length < 20) load.logged.push(text.trim());
    if (!load.loaded) return;
    if (text.includes("Will reconnect at")) this.#emit({ type: "reconnecting", token: load.token });
    if (prefix.startsWith("ao") && /underrun/i.test(text))
      this.#emit({ type: "underrun", token: load.token });
  }

  #over(load: Load, { reason, file_error: fileError }: MpvMessage): void {
    this.#playing = 0;
    load.over = true;
    if (reason !== "eof" && reason !== "error") return;
    this.#position.run(false);
    // Begun or sought behind its end, a file plays nothing and is over; otherwise it holds no audio.
    const nothing = fileError === "no audio or video data played";
    const over = reason === "eof" || (nothing && load.sought);
    if (load.started && over) this.#announce(load, null, false);
    if (!load.loaded) this.#next(load, fileError);
    else if (isLive(load)) this.#reconnect(load);
    else if (!over) void this.#explain(load, fileError);
    else void this.#finish(load);
  }

  /** Another address of the playlist, or the discovery that it is one. */
  #next(load: Load, fileError: string | undefined): void {
    const other = load.others.shift();
    const mayBePlaylist = load.source.kind === "stream" && fileError === "unrecognized file format";
    if (other !== undefined) {
      load.address = other;
      this.#start(load, load.startMs).catch(() => {});
    } else if (mayBePlaylist && !load.expanded) void this.#expand(load).catch(() => {});
    else void this.#explain(load, fileError);
  }

  /** Fails with what mpv's log says, which has all come once mpv has answered something. */
  async #explain(load: Load, fileError: string | undefined): Promise<void> {
    await this.#mpv.command("get_property", "idle-active").catch(() => null);
    this.#fail(load, failureReason(fileError, load.logged));
  }

  #reconnect(load: Load): void {
    if (load.flowingSince !== null && performance.now() - load.flowingSince > steadyMs) load.tries = 0;
    load.flowingSince = null;
    const wait = (this.#options.reconnectMs ?? backoff)[load.tries++];
    if (wait === undefined) {
      this.#fail(load, "the stream was lost and did not come back");
      return;
    }
    this.#emit({ type: "reconnecting", token: load.token });
    this.#setBuffering(load, true);
    load.retry = setTimeout(() => void this.#start(load, 0).catch(() => {}), wait);
  }

  /** A card that is pulled out looks like the end of the file. */
  async #finish(load: Load): Promise<void> {
    const early = load.durationMs - this.positionMs() > 1_000;
    const gone = early && load.source.kind === "file" && !(await readable(load.source.path));
    if (this.#load !== load) return;
    if (gone) return this.#fail(load, "the file can no longer be read");
    this.#load = null;
    this.#emit({ type: "ended", token: load.token });
  }

  #fail(load: Load, reason: string): void {
    if (this.#load !== load) return;
    this.#drop();
    this.#position.run(false);
    this.#emit({ type: "failed", token: load.token, reason });
  }

  #died(reason: string): void {
    this.#drop();
    this.#position.run(false);
    this.#emit({ type: "died", reason });
  }

  #drop(): void {
    if (this.#load?.retry) clearTimeout(this.#load.retry);
    this.#load = null;
  }

  #run(): void {
    const flowing = this.#load?.flowingSince !== null && this.#load !== null;
    this.#position.run(flowing && !this.#paused && !this.#buffering);
  }

  #emit(event: AudioEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function optionsOf(source: AudioSource, startMs: number): string {
  const start = startMs > 0 ? [`start=${startMs / 1_000}`] : [];
  // lavf searches plain samples for hidden formats, which took 40 ms; its least probe takes 8 and finds the same.
  const isWav = source.kind === "file" && /\.wav$/i.test(source.path);
  return [...start, ...(isWav ? ["demuxer-lavf-probesize=32768"] : [])].join(",");
}

async function readable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
