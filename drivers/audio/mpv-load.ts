import type { AudioSource, LoadOptions } from "./audio.ts";

/** One load of the mpv driver from its command to its end, through every address and reconnection. */
export interface Load {
  token: string;
  source: AudioSource;
  startMs: number;
  /** What mpv was given last. */
  address: string;
  /** mpv's number for the entry that plays now; 0 until mpv said it. */
  entry: number;
  /** mpv is done with that entry. */
  over: boolean;
  /** Further addresses of a playlist, tried when one fails. */
  others: string[];
  expanded: boolean;
  /** mpv plays, but `loaded` waits for the duration. */
  started: boolean;
  loaded: boolean;
  /** Since when audio comes; null while a stream is being connected (again). */
  flowingSince: number | null;
  tries: number;
  seeking: boolean;
  /** Whether it began or was moved anywhere but at its start. */
  sought: boolean;
  durationMs: number;
  title: string;
  logged: string[];
  retry: NodeJS.Timeout | null;
}

export function newLoad(source: AudioSource, { token, startMs }: LoadOptions): Load {
  return {
    token,
    source,
    startMs,
    address: source.kind === "file" ? source.path : source.url,
    entry: 0,
    over: false,
    others: [],
    expanded: false,
    started: false,
    loaded: false,
    flowingSince: null,
    tries: 0,
    seeking: false,
    sought: startMs > 0,
    durationMs: 0,
    title: "",
    logged: [],
    retry: null,
  };
}

/** A stream without a length has no end of its own: when it ends, it was dropped. */
export function isLive(load: Load): boolean {
  return load.source.kind === "stream" && load.durationMs === 0;
}

/** The song or programme that a radio names, from mpv's `metadata`. */
export function titleOf(metadata: unknown): string {
  if (typeof metadata !== "object" || metadata === null) return "";
  const fields = new Map(Object.entries(metadata).map(([key, value]) => [key.toLowerCase(), value]));
  const title = fields.get("icy-title") ?? fields.get("title") ?? fields.get("icy-name");
  return typeof title === "string" ? title.trim().slice(0, 200) : "";
}
