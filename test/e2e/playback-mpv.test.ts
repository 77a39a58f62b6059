import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { formats, media } from "../drivers/audio/media.ts";
import { describeWith } from "../real-part.ts";
import { type PlayingAppliance, startPlaying } from "./playing-appliance.ts";
import { wavOf } from "./wav.ts";

describeWith(["mpv", "ffmpeg"], "files through mpv", () => {
  let player: PlayingAppliance;
  const names = Object.keys(formats) as (keyof typeof formats)[];
  beforeAll(async () => {
    const long = (format: keyof typeof formats) => media(format, 30, ...formats[format]);
    const mp3 = readFileSync(long("mp3"));
    const made = names.map((name, index) => [`Demo/00${index + 1}.${name}`, long(name)]);
    player = await startPlaying("mpv", {
      ...(Object.fromEntries(made) as Record<string, string>),
      "Short/001.flac": media("flac", 1.5, ...formats.flac),
      "Short/002.flac": media("flac", 1, ...formats.flac),
      "Bad/001.mp3": Buffer.from("this is no audio at all, whatever its name says"),
      "Bad/002.mp3": Buffer.alloc(0),
      "Bad/003.wav": wavOf(0),
      "Bad/004.mp3": mp3.subarray(0, Math.round(mp3.length / 10)),
      "Bad/005.flac": media("flac", 1, ...formats.flac),
    });
  });
  afterAll(() => player.stop());
  afterEach(async () => {
    await player.call("/playback/stop");
    await player.call("/playback/mode", { mode: "off" });
  });
  const play = (path: string) => player.call("/playback/play", { path });

  /** How far the status is from what mpv says between two looks at it; mpv reckons `audio-pts` when asked. */
  const error = async () => {
    const before = await player.status();
    const truth = Number(await player.askMpv("audio-pts")) * 1_000;
    const after = await player.status();
    expect([before.state, after.state]).toEqual(["playing", "playing"]);
    return Math.max(0, before.position - truth, truth - after.position);
  };
  /** The best of three looks: whatever else this machine does may come between a look and its answer. */
  const expectTruePosition = async () => {
    const errors = [await error(), await error(), await error()];
    expect(Math.min(...errors)).toBeLessThan(50);
  };
  const seconds = (s: number) => new Promise((done) => setTimeout(done, s * 1_000));

  test.each(names.map((name, index) => [name, `Demo/00${index + 1}.${name}`]))(
    "%s plays at its true length and position, after seeks too",
    async (_, path) => {
      const { status, body } = await play(path);
      expect(status).toBe(200);
      expect(body.state).toBe("playing");
      expect(Math.abs(body.duration - 30_000)).toBeLessThan(120);
      await seconds(0.3);
      await expectTruePosition();
      await player.call("/playback/seek", { position: 12_345 });
      await seconds(0.3);
      expect((await player.status()).position).toBeGreaterThan(12_345);
      await expectTruePosition();
      const paused = (await player.call("/playback/pause")).body;
      await seconds(0.1);
      expect(Math.abs(Number(await player.askMpv("audio-pts")) * 1_000 - paused.position)).toBeLessThan(50);
      expect((await player.status()).position).toBe(paused.position);
      await player.call("/playback/resume");
      await seconds(0.2);
      await expectTruePosition();
    },
  );

  test.each([
    ["rubbish", "Bad/001.mp3"],
    ["an empty file", "Bad/002.mp3"],
    ["a file without a second of sound", "Bad/003.wav"],
  ])("%s is a 400 that says why, and what was on comes back", async (_, path) => {
    await play("Demo/001.mp3");
    await player.call("/playback/seek", { position: 5_000 });
    const { status, body } = await play(path);
    expect(status).toBe(400);
    expect(body.error).toMatch(/^path: .*cannot be played: .{5,}/);
    const back = await player.until(({ state }) => state === "playing");
    expect(back.track).toBe("Demo/001.mp3");
    expect(back.position).toBeGreaterThanOrEqual(5_000);
    await seconds(0.2);
    await expectTruePosition();
  });

  test("a truncated file plays what there is of it, then the next one follows", async () => {
    await player.call("/playback/mode", { mode: "continuous" });
    await play("Bad/004.mp3");
    const next = await player.until(({ surah_number }) => surah_number === 5);
    expect(next.track).toBe("Bad/005.flac");
  });

  test("the end of a track is not early, and gaps are as long as they were asked to be", async () => {
    await player.call("/playback/mode", { mode: "hifz_repeat", repeat: 4, pause_s: 1 });
    const from = player.mpvLog().length;
    await play("Short/001.flac");
    await player.until(({ state, hifz }) => state === "stopped" && hifz?.repeat_done === 4);
    const noted = (words: string) =>
      player
        .mpvLog()
        .slice(from)
        .filter(({ text }) => text.startsWith(words));
    await vi.waitFor(() => expect(noted("finished playback, success")).toHaveLength(4));
    const starts = noted("playback restart complete");
    const ends = noted("finished playback, success");
    expect(starts).toHaveLength(4);
    for (const [index, { ms }] of ends.entries()) expect(ms - starts[index]!.ms).toBeGreaterThan(1_480);
    const gaps = starts.slice(1).map(({ ms }, index) => ms - ends[index]!.ms);
    expect(Math.min(...gaps)).toBeGreaterThan(980);
    // The others may be stretched by whatever else this machine does.
    expect(Math.min(...gaps)).toBeLessThan(1_100);
  });

  test("a range goes round in mpv as it does on paper", async () => {
    await player.call("/playback/mode", { mode: "hifz_ab", ab: { from: 1, to: 114 } });
    const { heard: events, close, until } = await player.listen();
    await play("Short/001.flac");
    const rounds = () =>
      events
        .filter(({ event, data }) => event === "playback" && data.state === "playing")
        .map(({ data }) => Number(data.surah_number))
        .filter((number, index, all) => number !== all[index - 1]);
    await until(() => rounds().length >= 4);
    close();
    expect(rounds().slice(0, 4)).toEqual([1, 2, 1, 2]);
  });
});
