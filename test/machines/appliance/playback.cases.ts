import type { Advance } from "../../../machines/appliance/hifz.ts";
import { playbackMachine } from "../../../machines/appliance/playback.ts";
import { emptyRecord, type PlaybackInput } from "../../../machines/appliance/playback-context.ts";
import type { Source } from "../../../machines/appliance/playback-events.ts";
import { viewOf } from "../../../machines/appliance/playback-view.ts";
import { walkPlan } from "../../walker/walk.ts";

const surahs = [
  { number: 1, path: "Demo/001.flac" },
  { number: 2, path: "Demo/002.flac" },
];
const first: Source = { kind: "file", path: "Demo/001.flac", reciter: "Demo", surah: 1 };
const radio: Source = { kind: "stream", url: "http://radio.test/live", name: "" };
const reading = { positionMs: 0, at: 0, mono: 0 };
const modes: Advance[] = [
  { mode: "off" },
  { mode: "continuous" },
  { mode: "hifz_repeat", repeat: 2, pauseS: 3 },
  { mode: "hifz_ab", repeat: 1, pauseS: 0, ab: { from: 1, to: 2 } },
];
const fresh: PlaybackInput = { record: emptyRecord, resumes: false, prefix: "", outputUp: true, reading };
const on = { source: first, positionMs: 1_000, held: false };
const refusal = { code: "not_found" as const, message: "no such file", field: "path" };
/** A load is named by its number; walks stay below this many. */
const tokens = Array.from({ length: 3 }, (_, n) => ({ token: String(n + 1) }));

export const plan = walkPlan({
  name: "playback",
  machine: playbackMachine,
  inputs: [
    fresh,
    { ...fresh, record: { ...emptyRecord, on, saved: { ...on, repeatDone: 0 } }, resumes: true },
  ],
  cases: {
    PLAY: [{ id: "p", request: { path: "Demo/001.flac" } }],
    SOURCE_RESOLVED: [
      { id: "p", source: first, surahs },
      { id: "p", source: radio, surahs: [] },
    ],
    SOURCE_REFUSED: [{ id: "p", refusal }],
    NEXT: [{ id: "n" }],
    PREV: [{ id: "v" }],
    RESUME_SAVED: [{ id: "s" }],
    SEEK: [{ position: 500 }, { position: 9_000 }],
    SET_VOLUME: [{ volume: 30 }],
    SET_MODE: modes.map((advance) => ({ id: "m", advance })),
    MODE_STORED: [{ id: "m" }],
    MODE_NOT_STORED: [{ id: "m", refusal }],
    PLAY_ADHAN: [{ id: "a", path: "adhan.mp3", chime: "chime.wav", volume: 0 }],
    TRACK_LOADED: tokens.flatMap(({ token }) => [
      { token, durationMs: 4_000 },
      { token, durationMs: 0 },
    ]),
    TRACK_FAILED: tokens.map(({ token }) => ({ token, reason: "it is damaged" })),
    TRACK_ENDED: tokens,
    STREAM_STARVED: tokens.flatMap(({ token }) => [
      { token, active: true },
      { token, active: false },
    ]),
    STREAM_DROPPED: tokens,
    STREAM_TITLED: tokens.map(({ token }) => ({ token, title: "news" })),
    CARD_READ: [{ surahs }],
  },
  // Coarse, so that the walk stays short: what the guards ask, where they can ask it.
  keyOf: ({ value, context: c }) => {
    const plain = c.adhan === null && c.advance.mode === "off" && c.waiting === null && !c.held;
    const where = JSON.stringify(value);
    return JSON.stringify([
      where,
      [c.source?.kind, c.adhan !== null, c.waiting !== null || c.adhan !== null || c.advance.mode],
      [c.kept?.phase, where.includes("paused") && c.starved, where.includes("loading") && c.held],
      plain && [
        c.crashes,
        c.cardIn,
        c.ticks % 2,
        c.durationMs > 0,
        c.source?.kind === "file" && c.source.surah,
      ],
    ]);
  },
  invariant: (snapshot) => {
    const { context } = snapshot;
    if ((context.waiting !== null || context.adhan !== null) && context.kept === null) {
      throw new Error("a source that may give way has nothing to give back to");
    }
    if (context.adhan !== null && context.phase === "off") throw new Error("an adhan while stopped");
    const view = viewOf(snapshot);
    if ((view.state === "stopped") !== (view.mode === "idle"))
      throw new Error("stopped is idle, and only that");
  },
});
