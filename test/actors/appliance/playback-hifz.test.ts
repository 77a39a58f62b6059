import { afterEach, describe, expect, test } from "vitest";
import type { Advance } from "../../../machines/appliance/hifz.ts";
import { type Rig, startRig, surah } from "./playback-rig.ts";

const files = { [surah(1)]: 4_000, [surah(2)]: 8_000, [surah(5)]: 6_000 };
let rig: Rig;
const start = async (advance: Advance) => {
  rig = await startRig({ files });
  await rig.client.ask({ type: "SET_MODE", advance });
};
afterEach(() => rig.stop());
const playing = (number: number, loads: number) =>
  rig.until(
    ({ state, surah_number, hifz }) =>
      state === "playing" && surah_number === number && !hifz?.waiting && rig.audio().loads.length === loads,
  );

describe("hifz_repeat", () => {
  test("plays so many times with silence between, then stops", async () => {
    await start({ mode: "hifz_repeat", repeat: 2, pauseS: 3 });
    await rig.play(surah(1));
    rig.advance(4_000);
    expect(rig.status()).toMatchObject({
      state: "playing",
      track: surah(1),
      hifz: { repeat_done: 1, repeat_target: 2, pause_s: 3, waiting: true },
    });
    rig.advance(2_950);
    expect(rig.audio().loads).toHaveLength(1);
    rig.advance(50);
    await playing(1, 2);
    rig.advance(4_000);
    const end = await rig.until(({ state }) => state === "stopped");
    expect(end.hifz).toMatchObject({ repeat_done: 2, waiting: false });
  });

  test("zero is endless", async () => {
    await start({ mode: "hifz_repeat", repeat: 0, pauseS: 0 });
    await rig.play(surah(1));
    for (const loads of [2, 3, 4, 5]) {
      rig.advance(4_000);
      await playing(1, loads);
    }
    expect(rig.status().hifz).toMatchObject({ repeat_done: 4, repeat_target: 0 });
  });

  test("a pause freezes the gap, resume goes on with what was left of it", async () => {
    await start({ mode: "hifz_repeat", repeat: 0, pauseS: 3 });
    await rig.play(surah(1));
    rig.advance(5_000);
    await rig.client.ask({ type: "PAUSE" });
    rig.advance(60_000);
    expect(rig.status()).toMatchObject({ state: "paused", hifz: { waiting: true } });
    await rig.client.ask({ type: "RESUME" });
    rig.advance(1_950);
    expect(rig.status()).toMatchObject({ state: "playing", hifz: { waiting: true } });
    rig.advance(50);
    await playing(1, 2);
  });

  test("stop and next end a gap", async () => {
    await start({ mode: "hifz_repeat", repeat: 0, pauseS: 30 });
    await rig.play(surah(1));
    rig.advance(5_000);
    await rig.client.ask({ type: "NEXT" });
    expect(rig.status()).toMatchObject({ surah_number: 2, hifz: { repeat_done: 0, waiting: false } });
    rig.advance(9_000);
    expect(rig.status().hifz?.waiting).toBe(true);
    expect((await rig.client.ask({ type: "STOP" })).hifz?.waiting).toBe(false);
    rig.advance(60_000);
    expect(rig.status().state).toBe("stopped");
  });

  test("setting a mode starts the count anew and leaves the state alone", async () => {
    await start({ mode: "hifz_repeat", repeat: 0, pauseS: 0 });
    await rig.play(surah(1));
    rig.advance(4_000);
    await playing(1, 2);
    const advance = { mode: "hifz_repeat" as const, repeat: 3, pauseS: 0 };
    const view = await rig.client.ask({ type: "SET_MODE", advance });
    expect(view).toMatchObject({ state: "playing", hifz: { repeat_done: 0, repeat_target: 3 } });
  });

  test("a seek to the end while paused waits with a frozen gap", async () => {
    await start({ mode: "hifz_repeat", repeat: 0, pauseS: 3 });
    await rig.play(surah(1));
    await rig.client.ask({ type: "PAUSE" });
    await rig.client.ask({ type: "SEEK", position: 4_000 });
    rig.advance(60_000);
    expect(rig.status()).toMatchObject({ state: "paused", hifz: { waiting: true, repeat_done: 1 } });
  });
});

describe("hifz_ab", () => {
  test("plays each surah that is there so many times, and goes round", async () => {
    await start({ mode: "hifz_ab", repeat: 2, pauseS: 1, ab: { from: 1, to: 4 } });
    await rig.play(surah(1));
    const order = [1, 2, 2, 1, 1];
    const lengths = { 1: 4_000, 2: 8_000 } as Record<number, number>;
    let last = 1;
    for (const [index, number] of order.entries()) {
      rig.advance(lengths[last]! + 1_000);
      await playing(number, index + 2);
      last = number;
    }
    expect(rig.status().hifz).toMatchObject({ ab_start: 1, ab_end: 4 });
  });

  test("a surah outside the range finishes first; next and previous stay inside", async () => {
    await start({ mode: "hifz_ab", repeat: 1, pauseS: 5, ab: { from: 1, to: 2 } });
    await rig.play(surah(5));
    await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "conflict" });
    rig.advance(6_000);
    await playing(1, 2);
    await expect(rig.client.ask({ type: "PREV" })).rejects.toMatchObject({ code: "conflict" });
    await rig.client.ask({ type: "NEXT" });
    await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "conflict" });
  });

  test.each([
    ["repeat", { mode: "hifz_ab", repeat: 0, pauseS: 0, ab: { from: 1, to: 2 } }],
    ["ab", { mode: "hifz_ab", repeat: 1, pauseS: 0, ab: { from: 3, to: 2 } }],
    ["pause_s", { mode: "hifz_repeat", repeat: 1, pauseS: 601 }],
  ] as [string, Advance][])("a wrong %s is refused, and the mode stays", async (field, advance) => {
    await start({ mode: "continuous" });
    await expect(rig.client.ask({ type: "SET_MODE", advance })).rejects.toMatchObject({ field });
    expect(rig.status().advance_mode).toBe("continuous");
  });
});
