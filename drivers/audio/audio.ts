/** What can be played: a file of the card by its absolute path, or an internet stream. */
export type AudioSource = { kind: "file"; path: string } | { kind: "stream"; url: string };

export interface LoadOptions {
  /** Names this load in every event that follows from it; a newer load makes the older token silent. */
  token: string;
  startMs: number;
  paused: boolean;
  /** Set before the source starts. */
  volume: number;
}

/** Reports of the player, each with the token of the load it speaks of. */
export type AudioEvent =
  | { type: "loaded"; token: string; durationMs: number; seekable: boolean }
  | { type: "failed"; token: string; reason: string }
  | { type: "ended"; token: string }
  | { type: "buffering"; token: string; active: boolean }
  | { type: "reconnecting"; token: string }
  | { type: "position"; token: string; ms: number }
  | { type: "metadata"; token: string; title: string }
  | { type: "underrun"; token: string }
  /** The player process is gone; the supervisor opens a new one. */
  | { type: "died"; reason: string };

/** One audio output. `open` touches the world, `close` may be called twice. */
export interface AudioDriver {
  readonly name: "mpv" | "silent";
  open(): Promise<void>;
  close(): Promise<void>;
  load(source: AudioSource, options: LoadOptions): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
  seek(ms: number): Promise<void>;
  setVolume(volume: number): Promise<void>;
  /** The position of this moment in whole milliseconds, reckoned from the player's last report. */
  positionMs(): number;
  listen(listener: (event: AudioEvent) => void): () => void;
}
