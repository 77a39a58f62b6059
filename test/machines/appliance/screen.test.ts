import { describe, expect, it } from "vitest";
import type { OtaView } from "../../../machines/appliance/ota.ts";
import type { PlaybackView } from "../../../machines/appliance/playback-view.ts";
import type { PrayerReport } from "../../../machines/appliance/prayer-view.ts";
import { type Facts, screenOf } from "../../../machines/appliance/screen.ts";

const playing = {
  state: "playing",
  mode: "file",
  position: 61_999,
  duration: 90_000,
  volume: 40,
  track: "Tones/112.wav",
  reciter: "Tones",
  surah_number: 112,
} as PlaybackView;
const stopped = { ...playing, state: "stopped" } as PlaybackView;
const hifz = { repeat_done: 2, repeat_target: 5, pause_s: 10, waiting: false };
const next = (in_seconds: number) =>
  ({ next: { name: "asr", time: "15:10", in_seconds }, date: "2026-11-15", hijri: null }) as PrayerReport;
const update = { in_progress: true, status: "writing", progress: 40 } as OtaView;
const card = { name: "Bedtime", uid: "04A2B3C4" };
const idle: Facts = {
  sleeping: false,
  playback: stopped,
  prayer: null,
  ota: null,
  card: null,
  time: "6:42 PM",
};

describe("the screen", () => {
  const cases: [string, Partial<Facts>, object][] = [
    ["shows the time when nothing is on", {}, { kind: "clock", time: "6:42 PM" }],
    [
      "counts down to a prayer that is near",
      { prayer: next(600) },
      { kind: "prayer", name: "asr", minutes: 10 },
    ],
    [
      "names a prayer that is far below the time",
      { prayer: next(7_200) },
      { kind: "clock", next: "asr 15:10" },
    ],
    [
      "shows what plays, in whole seconds",
      { playback: playing },
      { kind: "playing", position: 61, title: "112. Al-Ikhlas" },
    ],
    ["counts a drill", { playback: { ...playing, hifz } }, { kind: "playing", drill: "3 of 5" }],
    [
      "keeps the surah during a gap",
      { playback: { ...playing, hifz: { ...hifz, waiting: true } } },
      { kind: "gap", done: 2, target: 5 },
    ],
    ["shows a tapped card over what plays", { playback: playing, card }, { kind: "card", name: "Bedtime" }],
    ["shows the adhan over a card", { playback: { ...playing, adhan: true }, card }, { kind: "adhan" }],
    [
      "shows an update over everything that is lit",
      { playback: { ...playing, adhan: true }, ota: update },
      { kind: "update", progress: 40 },
    ],
    ["is dark while the device sleeps", { sleeping: true, ota: update }, { kind: "sleep" }],
    ["works without any other part", { playback: null }, { kind: "clock" }],
  ];
  it.each(cases)("%s", (_, facts, expected) => {
    expect(screenOf({ ...idle, ...facts })).toMatchObject(expected);
  });
});
