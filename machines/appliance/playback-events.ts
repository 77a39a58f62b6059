import type { ErrorCode, Refusal } from "../errors.ts";
import type { Advance, ListedSurah } from "./hifz.ts";

/** What can be on: a file of the card by its path there, a stream, or the chime that stands in for an adhan. */
export type Source =
  | { kind: "file"; path: string; reciter: string; surah: number }
  | { kind: "stream"; url: string; name: string }
  /** An absolute path of the device itself. */
  | { kind: "chime"; path: string };

/** What a person or a schedule asks to hear, before it is known whether that exists. */
export type PlayRequest =
  | { path: string }
  | { url: string; name?: string | undefined }
  | { reciter: string; surah: number };

/** The moment of an event: where the player stood, what the clock showed, and a clock that never jumps. */
export interface Reading {
  positionMs: number;
  at: number;
  mono: number;
}

/** Commands with an `id` are answered when the world has answered; the others at once. */
export type PlaybackCommand =
  /** A `volume` is set before the source starts. */
  | { type: "PLAY"; id: string; request: PlayRequest; volume?: number | undefined }
  | { type: "PAUSE" }
  | { type: "RESUME" }
  | { type: "STOP" }
  | { type: "SEEK"; position: number }
  | { type: "SET_VOLUME"; volume: number }
  | { type: "NEXT"; id: string }
  | { type: "PREV"; id: string }
  | { type: "RESUME_SAVED"; id: string; volume?: number | undefined }
  | { type: "SET_MODE"; id: string; advance: Advance }
  /** The adhan goes over what is on and gives it back. Without a playable `path` the chime serves. */
  | { type: "PLAY_ADHAN"; id: string; path: string | null; chime: string; volume: number }
  /** Ends an adhan and gives back; does nothing when there is none. */
  | { type: "END_ADHAN" };

export type PlaybackReport =
  | {
      type: "SOURCE_RESOLVED";
      id: string;
      source: Source;
      surahs: readonly ListedSurah[];
      volume?: number | undefined;
    }
  | { type: "SOURCE_REFUSED"; id: string; refusal: Refusal }
  | { type: "TRACK_LOADED"; token: string; durationMs: number }
  | { type: "TRACK_FAILED"; token: string; reason: string; code?: ErrorCode | undefined }
  | { type: "TRACK_ENDED"; token: string }
  | { type: "STREAM_STARVED"; token: string; active: boolean }
  | { type: "STREAM_DROPPED"; token: string }
  | { type: "STREAM_TITLED"; token: string; title: string }
  | { type: "OUTPUT_UNDERRAN" }
  | { type: "OUTPUT_LOST" }
  | { type: "OUTPUT_FOUND" }
  | { type: "CARD_REMOVED" }
  /** The card is in; `surahs` are those of the current reciter. */
  | { type: "CARD_READ"; surahs: readonly ListedSurah[] }
  | { type: "MODE_STORED"; id: string }
  | { type: "MODE_NOT_STORED"; id: string; refusal: Refusal }
  | { type: "SHUTDOWN" }
  | { type: "STATE_FLUSHED" };

/** Every event is stamped with its moment by the actor; a machine has no clock. */
export type PlaybackEvent = (PlaybackCommand | PlaybackReport) & { reading?: Reading };

/** What went wrong on the way, for a person; shown with the status until the next command that starts something. */
export interface PlaybackNotice {
  kind: "skipped" | "stopped" | "reconnecting" | "adhan_chime";
  /** The path or the address that it is about. */
  track: string;
  reason: string;
}

export type PlaybackEmitted =
  | { type: "settled"; id: string }
  | { type: "failed"; id: string; refusal: Refusal }
  | { type: "notice"; notice: PlaybackNotice };
