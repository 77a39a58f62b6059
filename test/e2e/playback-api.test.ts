import { symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type PlayingAppliance, startPlaying } from "./playing-appliance.ts";
import { wavOf } from "./wav.ts";

let player: PlayingAppliance;
beforeAll(async () => {
  const files = {
    "Demo/001.wav": wavOf(30),
    "Demo/002.wav": wavOf(30),
    "Demo/004.wav": wavOf(30),
    "Demo/005.wav": Buffer.from("this is no audio"),
  };
  player = await startPlaying("silent", files);
  symlinkSync(tmpdir(), join(player.card, "way-out"));
});
afterAll(() => player.stop());
beforeEach(async () => {
  await player.call("/playback/stop");
  await player.call("/playback/mode", { mode: "off" });
});

const play = (path = "Demo/001.wav") => player.call("/playback/play", { path });

describe("the twelve routes", () => {
  test("a play answers with the whole status, and the GET shows the same", async () => {
    const { status, body } = await play("/Demo/001.wav");
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, state: "playing", mode: "file", track: "Demo/001.wav" });
    expect(await player.status()).toMatchObject({ reciter: "Demo", surah_number: 1, duration: 30_000 });
  });

  test("pause, resume, seek, next, prev, stop and resume-saved do what they say", async () => {
    await play();
    expect((await player.call("/playback/seek", { position: 12_000 })).body.position).toBeGreaterThanOrEqual(
      12_000,
    );
    expect((await player.call("/playback/pause")).body.state).toBe("paused");
    expect((await player.call("/playback/pause")).status).toBe(200);
    expect((await player.call("/playback/resume")).body.state).toBe("playing");
    expect((await player.call("/playback/resume")).status).toBe(200);
    expect((await player.call("/playback/next")).body).toMatchObject({ surah_number: 2, state: "playing" });
    expect((await player.call("/playback/prev")).body).toMatchObject({ surah_number: 1, state: "playing" });
    await player.call("/playback/seek", { position: 9_000 });
    expect((await player.call("/playback/stop")).body).toMatchObject({
      state: "stopped",
      hasResumeState: true,
    });
    expect((await player.call("/playback/stop")).status).toBe(200);
    const { body } = await player.call("/playback/resume-saved");
    expect(body).toMatchObject({ state: "playing", surah_number: 1 });
    expect(body.position).toBeGreaterThanOrEqual(9_000);
  });

  test("the volume route answers with the applied volume alone", async () => {
    const { body } = await player.call("/playback/volume", { volume: 37 });
    expect(body).toEqual({ success: true, volume: 37 });
    expect((await player.status()).volume).toBe(37);
  });

  test("the mode comes back as it was asked for", async () => {
    await player.call("/playback/mode", { mode: "hifz_repeat" });
    expect(await player.get("/playback/mode")).toEqual({
      mode: "hifz_repeat",
      hifz: { repeat: 0, pause_s: 0 },
    });
    const { body } = await player.call("/playback/mode", {
      mode: "hifz_ab",
      pause_s: 600,
      ab: { from: 1, to: 114 },
    });
    expect(body.hifz).toEqual({
      repeat_done: 0,
      repeat_target: 1,
      pause_s: 600,
      waiting: false,
      ab_start: 1,
      ab_end: 114,
    });
    expect(await player.get("/playback/mode")).toEqual({
      mode: "hifz_ab",
      hifz: { repeat: 1, pause_s: 600, ab: { from: 1, to: 114 } },
    });
    await player.call("/playback/mode", { mode: "continuous" });
    expect(await player.get("/playback/mode")).toEqual({ mode: "continuous" });
    expect(await player.status()).not.toHaveProperty("hifz");
  });
});

describe("what is refused changes nothing and names its field", () => {
  const long = "x".repeat(1_025);
  test.each<[string, unknown, number, string]>([
    ["/playback/play", {}, 400, "path"],
    ["/playback/play", { path: "" }, 400, "path"],
    ["/playback/play", { path: 7 }, 400, "path"],
    ["/playback/play", { path: null }, 400, "path"],
    ["/playback/play", { path: "../etc/passwd" }, 400, "path"],
    ["/playback/play", { path: "Demo/../../x" }, 400, "path"],
    ["/playback/play", { path: "way-out" }, 400, "path"],
    ["/playback/play", { path: "Demo/001\u0000.wav" }, 400, "path"],
    ["/playback/play", { path: long }, 400, "path"],
    ["/playback/play", { path: `${"y".repeat(300)}.mp3` }, 400, "path"],
    ["/playback/play", { path: "/" }, 400, "path"],
    ["/playback/play", { path: "Demo/099.wav" }, 404, "path"],
    ["/playback/play", { path: "Demo" }, 404, "path"],
    ["/playback/play", { path: "Demo/005.wav" }, 400, "path"],
    ["/playback/play", { path: "Demo/001.wav", url: "http://radio.test/" }, 400, "url"],
    ["/playback/play", { url: "ftp://radio.test/" }, 400, "url"],
    ["/playback/play", { url: "http://user:secret@radio.test/" }, 400, "url"],
    ["/playback/play", { url: "http://169.254.1.1/" }, 400, "url"],
    ["/playback/play", { url: "http://0.0.0.0/" }, 400, "url"],
    ["/playback/play", { url: "http://radio.test/a\nb" }, 400, "url"],
    ["/playback/play", { path: "Demo/001.wav", loud: true }, 400, "loud"],
    ["/playback/seek", {}, 400, "position"],
    ["/playback/seek", { position: "12" }, 400, "position"],
    ["/playback/seek", { position: -1 }, 400, "position"],
    ["/playback/seek", { position: null }, 400, "position"],
    ["/playback/volume", { volume: 101 }, 400, "volume"],
    ["/playback/volume", { volume: -1 }, 400, "volume"],
    ["/playback/volume", { volume: 5.5 }, 400, "volume"],
    ["/playback/volume", { volume: "50" }, 400, "volume"],
    ["/playback/volume", {}, 400, "volume"],
    ["/playback/mode", {}, 400, "mode"],
    ["/playback/mode", { mode: "loop" }, 400, "mode"],
    ["/playback/mode", { mode: "off", repeat: 1 }, 400, "repeat"],
    ["/playback/mode", { mode: "off", pause_s: 1 }, 400, "pause_s"],
    ["/playback/mode", { mode: "hifz_repeat", repeat: -1 }, 400, "repeat"],
    ["/playback/mode", { mode: "hifz_repeat", repeat: 1.5 }, 400, "repeat"],
    ["/playback/mode", { mode: "hifz_repeat", pause_s: 601 }, 400, "pause_s"],
    ["/playback/mode", { mode: "hifz_repeat", pause_s: -1 }, 400, "pause_s"],
    ["/playback/mode", { mode: "hifz_repeat", ab: { from: 1, to: 2 } }, 400, "ab"],
    ["/playback/mode", { mode: "hifz_ab" }, 400, "ab"],
    ["/playback/mode", { mode: "hifz_ab", ab: { from: 3, to: 2 } }, 400, "ab"],
    ["/playback/mode", { mode: "hifz_ab", ab: { from: 0, to: 2 } }, 400, "from"],
    ["/playback/mode", { mode: "hifz_ab", ab: { from: 1, to: 115 } }, 400, "to"],
    ["/playback/mode", { mode: "hifz_ab", ab: { from: 1 } }, 400, "to"],
    ["/playback/mode", { mode: "hifz_ab", repeat: 0, ab: { from: 1, to: 2 } }, 400, "repeat"],
    ["/playback/pause", { now: true }, 400, "now"],
  ])("%s %j is %i and names %s", async (path, body, status, field) => {
    await play();
    const reply = await player.call(path, body);
    expect(reply).toMatchObject({ status, body: { error: expect.stringContaining(field) } });
    const back = await player.until(({ state }) => state === "playing");
    expect(back).toMatchObject({ track: "Demo/001.wav", advance_mode: "off" });
  });

  test.each(["pause", "resume", "next", "prev"])("%s without anything on is 400", async (name) => {
    const fresh = await startPlaying("silent", {});
    try {
      expect((await fresh.call(`/playback/${name}`)).status).toBe(400);
      expect((await fresh.call("/playback/seek", { position: 1 })).status).toBe(400);
      expect((await fresh.call("/playback/resume-saved")).status).toBe(400);
    } finally {
      await fresh.stop();
    }
  });

  test("next after the last and previous before the first are 400", async () => {
    await play();
    expect((await player.call("/playback/prev")).status).toBe(400);
    await play("Demo/004.wav");
    expect((await player.call("/playback/next")).status).toBe(400);
    expect((await player.status()).surah_number).toBe(4);
  });
});

describe("the state stream", () => {
  test("every mutation reaches every client as exactly one event with its cause, in order", async () => {
    const clients = await Promise.all([player.listen(), player.listen()]);
    const commands: [string, unknown?][] = [
      ["/playback/play", { path: "Demo/001.wav" }],
      ["/playback/volume", { volume: 20 }],
      ["/playback/volume", { volume: 20 }],
      ["/playback/pause"],
      ["/playback/pause"],
      ["/playback/mode", { mode: "continuous" }],
      ["/playback/next"],
      ["/playback/stop"],
    ];
    const causes = commands.map((_, index) => `cause-${index}`);
    for (const [index, [path, body]] of commands.entries()) {
      const { status } = await player.call(path, body, { "x-request-id": causes[index]! });
      expect(status).toBe(200);
    }
    for (const { heard, until, close } of clients) {
      await until(({ cause }) => cause === causes.at(-1));
      const caused = heard.filter(({ cause }) => cause !== undefined);
      expect(caused.map(({ cause }) => cause)).toEqual(causes);
      expect(caused.every(({ event }) => event === "playback")).toBe(true);
      const order = heard.map(({ seq }) => seq);
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(caused[1]?.data).toMatchObject({ state: "playing", volume: 20, track: "Demo/001.wav" });
      close();
    }
  });

  test("the greeting holds the status as the GET shows it", async () => {
    const { heard, close } = await player.listen();
    const { position_at: _, ...status } = await player.status();
    expect(heard[0]?.data.playback).toMatchObject(status);
    close();
  });
});
