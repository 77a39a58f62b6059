import type { ErrorCode } from "../errors.ts";
import { type Advance, type ListedSurah, stepAfter } from "./hifz.ts";
import type { PlaybackNotice, Reading, Source } from "./playback-events.ts";

/** A track and where in it; what `resume-saved` starts from. */
export interface SavedPosition {
  source: Source;
  positionMs: number;
  repeatDone: number;
}

/** What is stored of playback, as one document. */
export interface PlaybackRecord {
  volume: number;
  advance: Advance;
  repeatDone: number;
  /** What sounded or waited when this was written; null when nothing did. */
  on: { source: Source; positionMs: number; held: boolean } | null;
  saved: SavedPosition | null;
  /** The last source, so that next and previous know their reciter. */
  source: Source | null;
}

export const emptyRecord: PlaybackRecord = {
  volume: 50,
  advance: { mode: "off" },
  repeatDone: 0,
  on: null,
  saved: null,
  source: null,
};

/** One source and how it stands; set aside as a whole when another goes over it. */
export interface Track {
  /** `off`: stopped, the source is only remembered; `gap`: silence between two plays of a drill. */
  phase: "off" | "on" | "gap";
  source: Source | null;
  surahs: readonly ListedSurah[];
  /** As of `positionAt`; while it plays, the player knows better. */
  positionMs: number;
  durationMs: number;
  /** A person paused it. */
  held: boolean;
  gapLeftMs: number;
  repeatDone: number;
  volume: number;
  /** Time really heard, and whether it was enough to count as a play. */
  heardMs: number;
  counted: boolean;
}

export interface PlaybackContext extends Track {
  advance: Advance;
  saved: SavedPosition | null;
  positionAt: number;
  /** When the clock that never jumps was last read. */
  mono: number;
  title: string;
  starved: boolean;
  underruns: number;
  ticks: number;
  /** Names loads: `<prefix><loads>`. The prefix differs from one incarnation to the next. */
  prefix: string;
  loads: number;
  /** Failures, reconnects and crashes of the output in a row, none of which may go on for ever. */
  failures: number;
  attempts: number;
  crashes: number;
  lostAtMs: number;
  reason: { message: string; code: ErrorCode };
  /** Which way next or previous was asked, to skip on in; 0 otherwise. */
  direction: 1 | -1 | 0;
  /** The PLAY whose source is being looked for. */
  request: string | null;
  /** The command that is answered when its source starts or fails. */
  waiting: { id: string; field: string | undefined } | null;
  /** What comes back when the adhan ends or the new source cannot be played. */
  kept: Track | null;
  adhan: { volume: number; chime: string } | null;
  notice: PlaybackNotice | null;
  outputUp: boolean;
  cardIn: boolean;
}

export interface PlaybackInput {
  record: PlaybackRecord;
  /** Whether what was on when the record was written goes on now. */
  resumes: boolean;
  prefix: string;
  outputUp: boolean;
  reading: Reading;
}

export function contextFrom({ record, resumes, prefix, outputUp, reading }: PlaybackInput): PlaybackContext {
  const on = resumes ? record.on : null;
  return {
    phase: on === null ? "off" : "on",
    source: on?.source ?? record.source,
    surahs: [],
    positionMs: on?.positionMs ?? 0,
    durationMs: 0,
    held: on?.held ?? false,
    gapLeftMs: 0,
    repeatDone: record.repeatDone,
    heardMs: 0,
    counted: false,
    volume: record.volume,
    advance: record.advance,
    saved: record.saved,
    positionAt: reading.at,
    mono: reading.mono,
    title: "",
    starved: false,
    underruns: 0,
    ticks: 0,
    prefix,
    loads: 0,
    failures: 0,
    attempts: 0,
    crashes: 0,
    lostAtMs: -1,
    reason: { message: "", code: "internal" },
    direction: 0,
    request: null,
    waiting: null,
    kept: null,
    adhan: null,
    notice: null,
    outputUp,
    cardIn: false,
  };
}

/** What is stored: during an adhan, and until a new source has started, that is what comes back. */
export function recordOf(context: PlaybackContext): PlaybackRecord {
  const track = context.kept ?? context;
  const place = placeOf(track, context.advance);
  return {
    volume: track.volume,
    advance: context.advance,
    repeatDone: place?.repeatDone ?? track.repeatDone,
    on: place && { source: place.source, positionMs: place.positionMs, held: track.held },
    saved: context.saved,
    source: track.source,
  };
}

/** Where a track would go on from: in a gap with what follows it, a live stream at no position of its own. */
export function placeOf(track: Track, advance: Advance): SavedPosition | null {
  const { source, phase, positionMs, repeatDone } = track;
  if (source === null || phase === "off") return null;
  if (phase === "on") return { source, positionMs: isLive(track) ? 0 : Math.round(positionMs), repeatDone };
  const step = stepAfter(advance, surahOf(source), repeatDone, track.surahs);
  if (step.kind !== "move" || source.kind !== "file") return { source, positionMs: 0, repeatDone };
  return { source: surahFrom(source.reciter, step.to), positionMs: 0, repeatDone: 0 };
}

export function surahFrom(reciter: string, { number, path }: ListedSurah): Source {
  return { kind: "file", path, reciter, surah: number };
}

export function tokenOf({ prefix, loads }: PlaybackContext): string {
  return `${prefix}${loads}`;
}

/** An adhan has a volume of its own. */
export function volumeOf({ adhan, volume }: PlaybackContext): number {
  return adhan?.volume ?? volume;
}

export function surahOf(source: Source | null): number {
  return source?.kind === "file" ? source.surah : 0;
}

/** Without an end: a radio. Before it has started, a stream is taken for one. */
export function isLive({ source, durationMs }: Track): boolean {
  return source?.kind === "stream" && durationMs === 0;
}

export function nameOf(source: Source | null): string {
  if (source === null) return "";
  // Where the device keeps its own chime is nobody's business.
  if (source.kind === "chime") return "chime";
  return source.kind === "stream" ? source.url : source.path;
}
