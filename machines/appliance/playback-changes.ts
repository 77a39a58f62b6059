/** What each event does to playback's context: plain functions, named after what has happened. */
import { afterFailure, isDrill, type ListedSurah, neighbour, stepAfter } from "./hifz.ts";
import {
  isLive,
  nameOf,
  type PlaybackContext,
  placeOf,
  surahFrom,
  surahOf,
  type Track,
} from "./playback-context.ts";
import type { PlaybackNotice, Reading, Source } from "./playback-events.ts";

type Change = Partial<PlaybackContext>;

/** What a person is told; before the first attempt of ours the player tries by itself. */
export function noticeOf(context: PlaybackContext, kind: PlaybackNotice["kind"]): PlaybackNotice {
  const { attempts, reason, source } = context;
  const trying = attempts === 0 ? "the connection was lost" : `attempt ${attempts} of ${maxAttempts}`;
  return { kind, track: nameOf(source), reason: kind === "reconnecting" ? trying : reason.message };
}

/** More than this many sources in a row that cannot be played, and playback stops. */
export const maxFailures = 8;
/** Attempts to reach a stream again, from one second apart to half a minute. */
export const maxAttempts = 8;
/** The output died this often without getting on: the source is to blame. */
const maxCrashes = 5;
/** A track this short that ended is one without sound. */
const stillbornMs = 100;
const playCountsAfterMs = 30_000;
/** Longer than a timer of five seconds, shorter than what timers can count. */
const never = 86_400_000;

/** The moment of an event; one that was not stamped changes nothing. */
export function readingOf(context: PlaybackContext, event: { reading?: Reading }): Reading {
  return event.reading ?? { positionMs: context.positionMs, at: context.positionAt, mono: context.mono };
}

/** A new track from its beginning, or from where a saved position says. */
export function beginning(source: Source, surahs: readonly ListedSurah[], positionMs = 0): Change {
  return {
    source,
    surahs,
    positionMs,
    durationMs: 0,
    held: false,
    repeatDone: 0,
    heardMs: 0,
    counted: false,
    title: "",
    starved: false,
    ticks: 0,
    attempts: 0,
    crashes: 0,
    lostAtMs: -1,
  };
}

/** What a new source replaces, unless something is set aside already. */
export function keptBy(context: PlaybackContext): Track {
  if (context.kept !== null) return context.kept;
  const { phase, source, surahs, positionMs, durationMs, held, gapLeftMs } = context;
  const { repeatDone, volume, heardMs, counted } = context;
  return {
    phase,
    source,
    surahs,
    positionMs,
    durationMs,
    held,
    gapLeftMs,
    repeatDone,
    volume,
    heardMs,
    counted,
  };
}

/** The same source once more. */
export function again(context: PlaybackContext): Change {
  return { positionMs: 0, heardMs: 0, counted: false, ticks: 0, held: context.held };
}

/** To another surah of the same reciter, paused if this one was. */
export function moved(context: PlaybackContext, to: ListedSurah): Change {
  const reciter = context.source?.kind === "file" ? context.source.reciter : "";
  return { ...beginning(surahFrom(reciter, to), context.surahs), held: context.held };
}

/** When a track has ended by itself: `done` of it are finished. */
export function stepOf(context: PlaybackContext, done: number) {
  return stepAfter(context.advance, surahOf(context.source), done, context.surahs);
}

export function stepped(context: PlaybackContext): Change {
  const step = stepOf(context, context.repeatDone);
  return step.kind === "move" ? moved(context, step.to) : again(context);
}

export function finished(context: PlaybackContext): Change {
  return {
    repeatDone: isDrill(context.advance) ? context.repeatDone + 1 : 0,
    positionMs: context.durationMs,
    saved: null,
    failures: 0,
  };
}

/** Where to go on after a failure: the way that was asked, or as the advance mode says. */
export function skipTo(context: PlaybackContext): ListedSurah | null {
  const { advance, source, surahs, direction, failures } = context;
  if (failures > maxFailures || source?.kind !== "file") return null;
  if (direction !== 0) return neighbour(advance, source.surah, direction, surahs);
  return context.waiting === null ? afterFailure(advance, source.surah, surahs) : null;
}

/** A live stream that ends has been lost; a track that ended before it could be heard has no sound in it. */
export function failureAtEnd(context: PlaybackContext): string | null {
  if (isLive(context)) return "the stream ended";
  const silent = context.durationMs < stillbornMs && context.heardMs < 1_000;
  return silent ? "there is no sound in it" : null;
}

/** Where the player stood and how long it was heard, when it leaves `playing`. */
export function marked(context: PlaybackContext, event: { reading?: Reading }): Change {
  const { positionMs, at, mono } = readingOf(context, event);
  return { positionMs, positionAt: at, mono, heardMs: context.heardMs + Math.max(0, mono - context.mono) };
}

export function saving(context: PlaybackContext): Change {
  const place = placeOf(context, context.advance);
  return isSavable(context) && place !== null ? { saved: place } : {};
}

/** An adhan has no position to come back to, a live stream none at all; a source that has not started yet, neither. */
export function isSavable(context: PlaybackContext): boolean {
  return context.adhan === null && context.waiting === null && context.source !== null && !isLive(context);
}

/** The output died; where it dies again without getting on, the source is to blame. */
export function lost(context: PlaybackContext): Change {
  return { crashes: crashesOf(context), lostAtMs: context.positionMs };
}

export function crashesAgain(context: PlaybackContext): boolean {
  return crashesOf(context) >= maxCrashes;
}

function crashesOf({ held, crashes, positionMs, lostAtMs }: PlaybackContext): number {
  if (held) return crashes;
  return lostAtMs >= 0 && positionMs - lostAtMs < 500 ? crashes + 1 : 0;
}

/** A play counts after half a minute or half the track. */
export function untilCounted({ adhan, counted, heardMs, durationMs }: PlaybackContext): number {
  const enough = durationMs === 0 ? playCountsAfterMs : Math.min(playCountsAfterMs, durationMs / 2);
  return counted || adhan !== null ? never : Math.max(0, enough - heardMs);
}

/** Between attempts to reach a stream again. */
export function backoffMs({ attempts }: PlaybackContext): number {
  return Math.min(30_000, 1_000 * 2 ** Math.max(0, attempts - 1));
}
