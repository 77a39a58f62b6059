import { afterEach, describe, expect, test } from "vitest";
import { type Rig, type RigOptions, startRig, surah } from "./playback-rig.ts";

const files = { [surah(1)]: 4_000, [surah(2)]: 8_000, [surah(5)]: 60_000, "Demo/006.mp3": "bad" as const };
let rig: Rig;
const start = async (options: RigOptions = {}) => (rig = await startRig({ files, ...options }));
afterEach(() => rig.stop());

describe("playing, pausing, stopping", () => {
  test("a play is answered once it plays, and its position goes on", async () => {
    await start();
    const view = await rig.play(surah(5));
    expect(view).toMatchObject({ state: "playing", mode: "file", track: surah(5), reciter: "Demo" });
    expect(view).toMatchObject({ surah_number: 5, position: 0, duration: 60_000, hasResumeState: false });
    rig.advance(1_500);
    expect(rig.status()).toMatchObject({ position: 1_500, position_at: new Date(1_001_500).toISOString() });
  });

  test("a pause keeps and saves the position, and pausing again changes nothing", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(2_000);
    await rig.client.ask({ type: "PAUSE" });
    rig.advance(3_000);
    expect(rig.status()).toMatchObject({ state: "paused", position: 2_000, hasResumeState: true });
    await rig.client.ask({ type: "PAUSE" });
    await rig.client.ask({ type: "RESUME" });
    rig.advance(500);
    expect(rig.status()).toMatchObject({ state: "playing", position: 2_500 });
  });

  test("a stop is idle, remembers the track, and can be resumed from its position", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(3_000);
    const stopped = await rig.client.ask({ type: "STOP" });
    expect(stopped).toMatchObject({ state: "stopped", mode: "idle", position: 0, hasResumeState: true });
    await rig.client.ask({ type: "STOP" });
    const resumed = await rig.client.ask({ type: "RESUME_SAVED" });
    expect(resumed).toMatchObject({ state: "playing", track: surah(5), position: 3_000 });
    rig.advance(100);
    expect(rig.status().position).toBe(3_100);
  });

  test("a seek goes where it is told, beyond the end it ends the track", async () => {
    await start();
    await rig.play(surah(5));
    await rig.client.ask({ type: "SEEK", position: 30_000.4 });
    rig.advance(1_000);
    expect(rig.status()).toMatchObject({ state: "playing", position: 31_000 });
    await rig.client.ask({ type: "SEEK", position: 60_000 });
    expect(rig.status()).toMatchObject({ state: "stopped", hasResumeState: false });
  });

  test.each([
    ["PAUSE" as const, { type: "PAUSE" as const }],
    ["RESUME" as const, { type: "RESUME" as const }],
    ["SEEK" as const, { type: "SEEK" as const, position: 1 }],
    ["NEXT" as const, { type: "NEXT" as const }],
    ["RESUME_SAVED" as const, { type: "RESUME_SAVED" as const }],
  ])("%s is refused while there is nothing to act on", async (_, command) => {
    await start();
    await expect(rig.client.ask(command)).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("sources that cannot be played", () => {
  test("a play of a damaged file says why, and gives back what was on", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(2_000);
    await expect(rig.play("Demo/006.mp3")).rejects.toMatchObject({
      code: "invalid_input",
      field: "path",
      message: expect.stringContaining("it is damaged"),
    });
    const back = await rig.until(({ state }) => state === "playing");
    expect(back).toMatchObject({ track: surah(5), position: 2_000 });
  });

  test("a volume that came with a source goes with it when it cannot be played", async () => {
    await start();
    await rig.client.ask({ type: "SET_VOLUME", volume: 20 });
    await rig.play(surah(5));
    const request = { path: "Demo/006.mp3" };
    await expect(rig.client.ask({ type: "PLAY", request, volume: 100 })).rejects.toThrow();
    expect(await rig.until(({ state }) => state === "playing")).toMatchObject({ volume: 20 });
    expect(rig.audio().loads.at(-1)).toMatchObject({ volume: 20 });
  });

  test("a play that is refused before it starts leaves what is on untouched", async () => {
    await start();
    await rig.play(surah(5));
    for (const path of ["Demo/099.mp3", "../secret", "Demo"]) await expect(rig.play(path)).rejects.toThrow();
    const request = { url: "http://forbidden.test/" };
    await expect(rig.client.ask({ type: "PLAY", request })).rejects.toMatchObject({ field: "url" });
    expect(rig.audio().loads).toHaveLength(1);
    expect(rig.status()).toMatchObject({ state: "playing", track: surah(5) });
  });

  test("of two overlapping plays each hears of its own", async () => {
    await start();
    const broken = rig.play("Demo/006.mp3");
    const good = rig.play(surah(2));
    await expect(broken).rejects.toMatchObject({ code: expect.stringMatching(/conflict|invalid_input/) });
    expect(await good).toMatchObject({ state: "playing", track: surah(2) });
  });

  test("a stop answers the play that it overtakes", async () => {
    await start();
    const late = rig.play(surah(2));
    await rig.client.ask({ type: "STOP" });
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(rig.status().state).toBe("stopped");
  });
});
