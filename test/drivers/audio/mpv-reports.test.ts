import { afterEach, describe, expect, it, vi } from "vitest";
import type { AudioEvent } from "../../../drivers/audio/audio.ts";
import { MpvAudio } from "../../../drivers/audio/mpv.ts";
import { Ear, housePolicy } from "./hear.ts";
import { scriptedMpv } from "./scripted-mpv.ts";

const begin = `say({ event: "start-file", playlist_entry_id: number }, { event: "playback-restart" });`;
let release = async () => {};

async function open(onLoad: string): Promise<{ audio: MpvAudio; ear: Ear }> {
  const { program, remove } = scriptedMpv(onLoad);
  const audio = new MpvAudio({ policy: housePolicy, program });
  const ear = new Ear(audio);
  release = async () => {
    await audio.close();
    remove();
  };
  await audio.open();
  return { audio, ear };
}

const load = (audio: MpvAudio, token: string) =>
  audio.load({ kind: "file", path: import.meta.filename }, { token, startMs: 0, paused: false, volume: 10 });

describe("mpv's reports", () => {
  afterEach(() => release());

  it("about an older load do not touch the newer one, even if they come late", async () => {
    const { audio, ear } = await open(`
      if (number === 2) say(
        { event: "end-file", reason: "error", file_error: "loading failed", playlist_entry_id: 1 },
        { event: "property-change", name: "time-pos", data: 40 },
        { event: "start-file", playlist_entry_id: 2 }, { event: "playback-restart" });`);
    await load(audio, "old");
    await load(audio, "new");
    await ear.on("loaded", "new");
    expect(ear.heard).toEqual([{ type: "loaded", token: "new", durationMs: 60_000, seekable: true }]);
    expect(audio.positionMs()).toBeLessThan(5_000);
  });

  it("that come before the load is named are not lost", async () => {
    const { audio, ear } = await open(
      `${begin} say({ event: "end-file", reason: "eof", playlist_entry_id: number });`,
    );
    await load(audio, "a");
    await ear.on("ended", "a");
    expect(ear.heard.map(({ type }) => type)).toEqual(["loaded", "ended"]);
  });

  it("of a dry cache are buffering and an underrun; of the output's own underruns as well", async () => {
    const { audio, ear } = await open(`${begin}
      setTimeout(() => say(
        { event: "property-change", name: "paused-for-cache", data: true },
        { event: "property-change", name: "paused-for-cache", data: true },
        { event: "property-change", name: "paused-for-cache", data: false },
        { event: "log-message", prefix: "ao/alsa", level: "warn", text: "Device underrun detected.\\n" },
        { event: "log-message", prefix: "ffmpeg", level: "warn", text: "underrun of nobody\\n" },
        { event: "end-file", reason: "eof", playlist_entry_id: number }), 50);`);
    await load(audio, "a");
    await ear.on("ended", "a");
    const token = "a";
    expect(ear.heard.slice(1)).toEqual<AudioEvent[]>([
      { type: "buffering", token, active: true },
      { type: "underrun", token },
      { type: "buffering", token, active: false },
      { type: "underrun", token },
      { type: "ended", token },
    ]);
  });

  it("of the position are passed on once a second, not twelve times", async () => {
    const { audio, ear } = await open(`${begin}
      setTimeout(() => {
        for (let i = 0; i < 12; i++) say({ event: "property-change", name: "time-pos", data: i / 12 });
        say({ event: "end-file", reason: "eof", playlist_entry_id: number });
      }, 50);`);
    await load(audio, "a");
    await ear.on("ended", "a");
    expect(ear.heard.filter(({ type }) => type === "position")).toHaveLength(1);
  });

  it("of the log explain a failure, though they come after it", async () => {
    const { audio, ear } = await open(`say(
      { event: "start-file", playlist_entry_id: number },
      { event: "end-file", reason: "error", file_error: "loading failed", playlist_entry_id: number },
      { event: "log-message", prefix: "ffmpeg", level: "warn", text: "http: HTTP error 404 Not Found\\n" });`);
    await load(audio, "a");
    expect(await ear.verdict("a")).toBe("the server answered with status 404");
  });

  it("that never come are the player's death", async () => {
    const { audio, ear } = await open(begin);
    await load(audio, "a");
    await ear.on("loaded", "a");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sought = expect(audio.seek(1_000)).rejects.toThrow("did not answer seek");
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    await sought;
    expect(await ear.on("died")).toEqual({ type: "died", reason: "mpv did not answer seek" });
  });
});
