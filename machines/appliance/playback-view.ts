import type { SnapshotFrom } from "xstate";
import { type Advance, isDrill } from "./hifz.ts";
import type { playbackMachine } from "./playback.ts";
import { nameOf, type PlaybackContext, surahOf, volumeOf } from "./playback-context.ts";
import type { PlaybackNotice } from "./playback-events.ts";

type Snapshot = SnapshotFrom<typeof playbackMachine>;

/** The status object of the API. */
export interface PlaybackView {
  state: "playing" | "paused" | "buffering" | "stopped";
  mode: "file" | "stream" | "idle";
  /** Milliseconds, as of `position_at` (ISO 8601); while it plays it goes on from there. */
  position: number;
  position_at: string;
  duration: number;
  volume: number;
  underrun_count: number;
  track: string;
  reciter: string;
  surah_number: number;
  advance_mode: Advance["mode"];
  hasResumeState: boolean;
  hifz?: HifzView;
  /** Only while a stream is on. */
  stream?: { url: string; name: string; title: string };
  /** Only after something went wrong, until the next command that starts something. */
  notice?: PlaybackNotice;
  /** Only while an adhan is on. */
  adhan?: true;
}

export interface HifzView {
  repeat_done: number;
  repeat_target: number;
  pause_s: number;
  waiting: boolean;
  ab_start?: number;
  ab_end?: number;
}

/** The mode as it was asked for. */
export interface ModeView {
  mode: Advance["mode"];
  hifz?: { repeat: number; pause_s: number; ab?: { from: number; to: number } };
}

export function viewOf(snapshot: Snapshot): PlaybackView {
  const { context } = snapshot;
  const { source } = context;
  const idle = context.phase === "off";
  const view: PlaybackView = {
    state: stateOf(snapshot),
    mode: idle || source === null ? "idle" : source.kind === "stream" ? "stream" : "file",
    position: idle ? 0 : Math.round(context.positionMs),
    position_at: new Date(context.positionAt).toISOString(),
    duration: idle ? 0 : Math.round(context.durationMs),
    volume: volumeOf(context),
    underrun_count: context.underruns,
    track: nameOf(source),
    reciter: source?.kind === "file" ? source.reciter : "",
    surah_number: surahOf(source),
    advance_mode: context.advance.mode,
    hasResumeState: context.saved !== null,
  };
  const hifz = hifzOf(context);
  if (hifz !== null) view.hifz = hifz;
  if (source?.kind === "stream" && !idle) {
    view.stream = { url: source.url, name: source.name, title: context.title };
  }
  if (context.notice !== null) view.notice = context.notice;
  if (context.adhan !== null) view.adhan = true;
  return view;
}

/** The status of this moment: while it plays, `positionMs` is what the player says. */
export function statusAt(view: PlaybackView, now: { positionMs: number; at: number }): PlaybackView {
  if (view.state !== "playing" || view.hifz?.waiting === true) return view;
  const end = view.duration > 0 ? view.duration : Number.POSITIVE_INFINITY;
  const position = Math.round(Math.min(now.positionMs, end));
  return { ...view, position, position_at: new Date(now.at).toISOString() };
}

export function modeOf(view: PlaybackView): ModeView {
  const { advance_mode: mode, hifz } = view;
  if (hifz === undefined) return { mode };
  const { repeat_target: repeat, pause_s, ab_start: from, ab_end: to } = hifz;
  const ab = from === undefined || to === undefined ? {} : { ab: { from, to } };
  return { mode, hifz: { repeat, pause_s, ...ab } };
}

function stateOf(snapshot: Snapshot): PlaybackView["state"] {
  const { context } = snapshot;
  if (snapshot.matches({ open: { on: "playing" } })) return "playing";
  if (context.phase === "off" || context.source === null) return "stopped";
  if (context.held || snapshot.matches({ open: "cardless" })) return "paused";
  return context.phase === "gap" ? "playing" : "buffering";
}

function hifzOf({ advance, phase, repeatDone, kept, adhan }: PlaybackContext): HifzView | null {
  if (!isDrill(advance)) return null;
  return {
    repeat_done: adhan === null ? repeatDone : (kept?.repeatDone ?? 0),
    repeat_target: advance.repeat,
    pause_s: advance.pauseS,
    waiting: phase === "gap",
    ...(advance.mode === "hifz_ab" ? { ab_start: advance.ab.from, ab_end: advance.ab.to } : {}),
  };
}
