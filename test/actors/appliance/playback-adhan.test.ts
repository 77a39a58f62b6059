import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Rig, startRig, surah } from "./playback-rig.ts";

const files = { [surah(1)]: 4_000, [surah(5)]: 60_000, "adhan.mp3": 20_000, "broken.mp3": "bad" as const };
let rig: Rig;
afterEach(() => rig.stop());
const start = async () => {
  rig = await startRig({ files });
  writeFileSync(join(rig.home, "chime.wav"), "3000");
};
const adhan = (path: string | null = "adhan.mp3", volume = 80) =>
  rig.client.ask({ type: "PLAY_ADHAN", path, chime: join(rig.home, "chime.wav"), volume });
const over = () => rig.until((view) => view.adhan === undefined);

test("an adhan goes over what is on, and gives it back with its position and volume", async () => {
  await start();
  await rig.client.ask({ type: "SET_VOLUME", volume: 30 });
  await rig.play(surah(5));
  rig.advance(7_000);
  const during = await adhan();
  expect(during).toMatchObject({ state: "playing", track: "adhan.mp3", reciter: "", surah_number: 0 });
  expect(during).toMatchObject({ adhan: true, volume: 80, duration: 20_000 });
  expect(rig.audio().loads.at(-1)).toMatchObject({ volume: 80, startMs: 0 });
  rig.advance(20_000);
  const back = await rig.until((view) => view.state === "playing" && view.adhan === undefined);
  expect(back).toMatchObject({ track: surah(5), position: 7_000, volume: 30, surah_number: 5 });
  expect(rig.audio().loads.at(-1)).toMatchObject({ volume: 30, startMs: 7_000, paused: false });
});

test("what was paused comes back paused, what was stopped stays stopped", async () => {
  await start();
  await rig.play(surah(5));
  rig.advance(2_000);
  await rig.client.ask({ type: "PAUSE" });
  await adhan();
  rig.advance(20_000);
  expect(await over()).toMatchObject({ state: "paused", track: surah(5), position: 2_000 });
  await rig.client.ask({ type: "STOP" });
  await adhan();
  rig.advance(20_000);
  expect(await over()).toMatchObject({ state: "stopped", mode: "idle", track: surah(5) });
});

test("a gap freezes and goes on with what was left of it", async () => {
  await start();
  await rig.client.ask({ type: "SET_MODE", advance: { mode: "hifz_repeat", repeat: 0, pauseS: 10 } });
  await rig.play(surah(1));
  rig.advance(8_000);
  await adhan();
  expect(rig.status().hifz).toMatchObject({ waiting: false, repeat_done: 1 });
  rig.advance(20_000);
  expect(await over()).toMatchObject({ state: "playing", hifz: { waiting: true, repeat_done: 1 } });
  rig.advance(5_900);
  expect(rig.status().hifz?.waiting).toBe(true);
  rig.advance(100);
  await rig.until(({ state, hifz }) => state === "playing" && hifz?.waiting === false);
});

test.each(["STOP", "END_ADHAN"] as const)("%s ends it and gives back", async (type) => {
  await start();
  await rig.play(surah(5));
  rig.advance(5_000);
  await adhan();
  rig.advance(3_000);
  await rig.client.ask({ type });
  const back = await rig.until((view) => view.state === "playing" && view.adhan === undefined);
  expect(back).toMatchObject({ track: surah(5), position: 5_000 });
});

test("pause pauses it, volume changes only it, and a volume of 0 keeps the current one", async () => {
  await start();
  await rig.client.ask({ type: "SET_VOLUME", volume: 30 });
  await rig.play(surah(5));
  expect(await adhan("adhan.mp3", 0)).toMatchObject({ volume: 30 });
  expect(await rig.client.ask({ type: "SET_VOLUME", volume: 90 })).toMatchObject({ volume: 90 });
  expect(await rig.client.ask({ type: "PAUSE" })).toMatchObject({ state: "paused", adhan: true });
  rig.advance(60_000);
  expect(await rig.client.ask({ type: "RESUME" })).toMatchObject({ state: "playing", adhan: true });
  rig.advance(20_000);
  expect(await over()).toMatchObject({ volume: 30 });
});

test("a play replaces it for good", async () => {
  await start();
  await rig.play(surah(5));
  await adhan();
  expect(await rig.play(surah(1))).not.toHaveProperty("adhan");
  rig.advance(4_000);
  expect(await rig.until(({ state }) => state === "stopped")).toMatchObject({ track: surah(1) });
});

test("a play that fails during it brings back what it had interrupted", async () => {
  await start();
  await rig.play(surah(5));
  rig.advance(1_000);
  await adhan();
  await expect(rig.play("broken.mp3")).rejects.toMatchObject({ field: "path" });
  expect(await rig.until(({ state }) => state === "playing")).toMatchObject({ track: surah(5) });
});

test.each([["broken.mp3"], ["missing.mp3"], [null]])(
  "without a playable file (%s) the chime serves",
  async (path) => {
    await start();
    const view = await adhan(path);
    expect(view).toMatchObject({ state: "playing", adhan: true, duration: 3_000 });
    const told = rig.notices.filter(({ kind }) => kind === "adhan_chime");
    expect(told).toHaveLength(path === null ? 0 : 1);
    rig.advance(3_000);
    expect(await over()).toMatchObject({ state: "stopped" });
  },
);

test("it never starts twice, is no surah to go on from, and leaves no position", async () => {
  await start();
  await adhan();
  await expect(adhan()).rejects.toMatchObject({ code: "conflict" });
  await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "conflict" });
  await rig.client.ask({ type: "PAUSE" });
  expect(rig.status().hasResumeState).toBe(false);
});
