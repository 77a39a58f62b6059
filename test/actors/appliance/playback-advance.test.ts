import { afterEach, describe, expect, test } from "vitest";
import type { Advance } from "../../../machines/appliance/hifz.ts";
import { type Rig, startRig, surah } from "./playback-rig.ts";

const files = { [surah(1)]: 4_000, [surah(2)]: 8_000, [surah(5)]: 6_000 };
const bad = "bad" as const;
let rig: Rig;
const start = async (advance: Advance, more: Record<string, number | "bad"> = {}) => {
  rig = await startRig({ files: { ...files, ...more } });
  await rig.client.ask({ type: "SET_MODE", advance });
};
afterEach(() => rig.stop());
const playing = (number: number, loads: number) =>
  rig.until(
    ({ state, surah_number, hifz }) =>
      state === "playing" && surah_number === number && !hifz?.waiting && rig.audio().loads.length === loads,
  );
const stopped = () => rig.until(({ state }) => state === "stopped");

describe("what comes after a track", () => {
  test("off stops, and nothing is left to resume", async () => {
    await start({ mode: "off" });
    await rig.play(surah(1));
    await rig.client.ask({ type: "PAUSE" });
    expect(await rig.client.ask({ type: "RESUME" })).toMatchObject({ hasResumeState: true });
    rig.advance(4_000);
    expect(await stopped()).toMatchObject({ hasResumeState: false, mode: "idle" });
  });

  test("continuous goes to the next surah that is there, and stops after the last", async () => {
    await start({ mode: "continuous" });
    await rig.play(surah(2));
    rig.advance(8_000);
    await playing(5, 2);
    rig.advance(6_000);
    await stopped();
  });

  test("repeat_one starts again", async () => {
    await start({ mode: "repeat_one" });
    await rig.play(surah(1));
    for (const loads of [2, 3, 4]) {
      rig.advance(4_000);
      await playing(1, loads);
    }
  });

  test("next and previous go to what is on the card, and nowhere else", async () => {
    await start({ mode: "off" });
    await rig.play(surah(2));
    expect(await rig.client.ask({ type: "NEXT" })).toMatchObject({ surah_number: 5, state: "playing" });
    await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "conflict" });
    expect(rig.status()).toMatchObject({ surah_number: 5, state: "playing" });
    await rig.client.ask({ type: "STOP" });
    expect(await rig.client.ask({ type: "PREV" })).toMatchObject({ surah_number: 2, state: "playing" });
  });
});

describe("files that cannot be played", () => {
  test("one on the way is skipped with a notice", async () => {
    await start({ mode: "continuous" }, { [surah(3)]: bad, [surah(4)]: bad });
    await rig.play(surah(2));
    rig.advance(8_000);
    await playing(5, 4);
    expect(rig.notices).toMatchObject([
      { kind: "skipped", track: surah(3), reason: "it is damaged" },
      { kind: "skipped", track: surah(4) },
    ]);
    expect(rig.status().notice).toEqual(rig.notices[1]);
    expect(await rig.play(surah(1))).not.toHaveProperty("notice");
  });

  test("next skips on the way it was asked, and gives back when there is nothing", async () => {
    await start({ mode: "off" }, { [surah(3)]: bad, [surah(6)]: bad });
    await rig.play(surah(2));
    expect(await rig.client.ask({ type: "NEXT" })).toMatchObject({ surah_number: 5 });
    rig.advance(1_000);
    await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "invalid_input" });
    expect(await rig.until(({ state }) => state === "playing")).toMatchObject({
      surah_number: 5,
      position: 1_000,
    });
  });

  test("a drill in which everything has gone bad stops instead of going round for ever", async () => {
    const advance = { mode: "hifz_ab" as const, repeat: 1, pauseS: 0, ab: { from: 1, to: 5 } };
    await start(advance);
    await rig.play(surah(1));
    for (const number of [1, 2, 5]) rig.put(surah(number), bad);
    rig.advance(4_000);
    await stopped();
    expect(rig.notices.at(-1)).toMatchObject({ kind: "stopped" });
    expect(rig.audio().loads.length).toBeLessThan(12);
  });

  test("a file without any sound does not repeat for ever", async () => {
    await start({ mode: "repeat_one" }, { [surah(7)]: 1 });
    await rig.play(surah(7));
    rig.advance(50);
    await stopped();
  });
});
