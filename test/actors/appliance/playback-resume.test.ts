import { afterEach, describe, expect, test, vi } from "vitest";
import { type Rig, type RigOptions, startRig, surah } from "./playback-rig.ts";

const files = { [surah(1)]: 4_000, [surah(5)]: 600_000 };
let rig: Rig;
const start = async (options: RigOptions = {}) => (rig = await startRig({ files, ...options }));
afterEach(() => rig.stop());

/** Moves the clock a second at a time, with room for the writes that become due. */
const live = async (seconds: number) => {
  for (let second = 0; second < seconds; second++) {
    rig.advance(1_000);
    await rig.store.idle();
  }
};
/** Ends the running rig and starts the next one in the same home. */
const restart = async (end: "cleanly" | "by a power cut", autoResume: boolean) => {
  const { home } = rig;
  if (end === "by a power cut") await rig.cut();
  await rig.stop(true);
  return start({ home, autoResume });
};

describe("what is written", () => {
  test("a minute of playing writes at most once in ten seconds", async () => {
    await start();
    await rig.play(surah(5));
    const before = await rig.writes();
    await live(60);
    const during = (await rig.writes()) - before;
    expect(during).toBeGreaterThanOrEqual(5);
    expect(during).toBeLessThanOrEqual(6);
  });

  test("a position is there after ten seconds of playing, not before", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(9_900);
    expect(rig.status().hasResumeState).toBe(false);
    rig.advance(100);
    expect(rig.status().hasResumeState).toBe(true);
  });

  test("a volume that keeps changing is written a second after the last change", async () => {
    await start();
    await live(2);
    const before = await rig.writes();
    for (let volume = 10; volume < 30; volume++) {
      await rig.client.ask({ type: "SET_VOLUME", volume });
      rig.advance(100);
    }
    expect(await rig.writes()).toBe(before);
    rig.advance(1_000);
    expect(await rig.writes()).toBe(before + 1);
    expect(await rig.store.get("resume", "playback")).toMatchObject({ volume: 29 });
  });

  test("a mode is stored before it is answered", async () => {
    await start();
    const advance = { mode: "hifz_ab" as const, repeat: 2, pauseS: 1, ab: { from: 1, to: 3 } };
    await rig.client.ask({ type: "SET_MODE", advance });
    expect(await rig.store.get("resume", "playback")).toMatchObject({ advance });
  });

  test("a play counts after half a minute or half the track, once", async () => {
    await start();
    await rig.play(surah(1));
    rig.advance(1_900);
    expect(rig.favorites.told).toEqual([]);
    rig.advance(200);
    expect(rig.favorites.told).toEqual(["COUNT_PLAY"]);
    await rig.play(surah(5));
    rig.advance(20_000);
    await rig.client.ask({ type: "PAUSE" });
    rig.advance(60_000);
    await rig.client.ask({ type: "RESUME" });
    await rig.client.ask({ type: "SEEK", position: 0 });
    rig.advance(9_900);
    expect(rig.favorites.told).toHaveLength(1);
    rig.advance(60_000);
    expect(rig.favorites.told).toHaveLength(2);
  });
});

describe("after a restart", () => {
  test("a clean end keeps the exact position, and playing goes on by itself where that is wanted", async () => {
    await start();
    await rig.client.ask({ type: "SET_VOLUME", volume: 42 });
    await rig.play(surah(5));
    rig.advance(3_300);
    await restart("cleanly", true);
    const view = await rig.until(({ state }) => state === "playing");
    expect(view).toMatchObject({ track: surah(5), position: 3_300, volume: 42, hasResumeState: true });
  });

  test("without auto-resume it is stopped, and resumes when it is told to", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(3_300);
    await restart("cleanly", false);
    expect(rig.status()).toMatchObject({ state: "stopped", hasResumeState: true });
    expect(await rig.client.ask({ type: "RESUME_SAVED" })).toMatchObject({ position: 3_300 });
  });

  test("a power cut loses at most what was played since the last save", async () => {
    await start();
    await rig.play(surah(5));
    await live(25);
    await restart("by a power cut", true);
    const { position } = await rig.until(({ state }) => state === "playing");
    expect(position).toBeGreaterThanOrEqual(15_000);
    expect(position).toBeLessThanOrEqual(25_000);
  });

  test("what was paused comes back paused, what was stopped stays so", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(2_000);
    await rig.client.ask({ type: "PAUSE" });
    await restart("cleanly", true);
    expect(await rig.until(({ state }) => state === "paused")).toMatchObject({ position: 2_000 });
    await rig.client.ask({ type: "STOP" });
    await restart("cleanly", true);
    expect(rig.status()).toMatchObject({ state: "stopped", hasResumeState: true });
  });

  test("a drill comes back with its mode and count, from a gap too", async () => {
    await start();
    await rig.client.ask({ type: "SET_MODE", advance: { mode: "hifz_repeat", repeat: 9, pauseS: 5 } });
    await rig.play(surah(1));
    rig.advance(4_000 + 5_000);
    await rig.until(({ state, hifz }) => state === "playing" && hifz?.waiting === false);
    rig.advance(4_000);
    expect(rig.status().hifz).toMatchObject({ waiting: true, repeat_done: 2 });
    await restart("cleanly", true);
    const view = await rig.until(({ state }) => state === "playing");
    expect(view).toMatchObject({ track: surah(1), position: 0, hifz: { repeat_done: 2, repeat_target: 9 } });
  });

  test("a drill over a range that was left in a gap goes on with the next surah", async () => {
    await start();
    const advance = { mode: "hifz_ab" as const, repeat: 1, pauseS: 5, ab: { from: 1, to: 5 } };
    await rig.client.ask({ type: "SET_MODE", advance });
    await rig.play(surah(1));
    rig.advance(6_000);
    expect(rig.status()).toMatchObject({ track: surah(1), hifz: { waiting: true, repeat_done: 1 } });
    await restart("cleanly", true);
    const view = await rig.until(({ state }) => state === "playing");
    expect(view).toMatchObject({ track: surah(5), position: 0, hifz: { repeat_done: 0, ab_end: 5 } });
  });

  test("next knows its reciter again", async () => {
    await start();
    await rig.play(surah(1));
    await restart("cleanly", false);
    expect(await rig.client.ask({ type: "NEXT" })).toMatchObject({ track: surah(5), state: "playing" });
  });
});

describe("parts that go and come back", () => {
  test("the player dies: it goes on from its position", async () => {
    await start();
    await rig.play(surah(5));
    for (const position of [3_000, 6_000, 9_000]) {
      rig.advance(3_000);
      const dead = rig.audio();
      dead.die();
      await rig.until(({ state }) => state === "playing");
      expect(rig.audio()).not.toBe(dead);
      expect(rig.audio().loads).toMatchObject([{ startMs: position, paused: false }]);
    }
  });

  test("the player dies while paused: it is paused again at the same place", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(3_000);
    await rig.client.ask({ type: "PAUSE" });
    const dead = rig.audio();
    dead.die();
    await vi.waitFor(() => expect(rig.audio().loads).toMatchObject([{ startMs: 3_000, paused: true }]));
    expect(await rig.until(({ state }) => state === "paused")).toMatchObject({ position: 3_000 });
  });

  test("a source on which the player dies again and again is given up", async () => {
    await start();
    await rig.play(surah(5));
    for (let death = 0; death < 6; death++) {
      await rig.until(({ state }) => state === "playing");
      rig.audio().die();
    }
    await rig.until(({ state }) => state === "stopped");
    expect(rig.notices).toMatchObject([{ kind: "stopped", track: surah(5) }]);
  });

  test("the card is pulled out and put back: it goes on where it was", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(4_000);
    rig.pullCard();
    expect(await rig.until(({ state }) => state === "paused")).toMatchObject({ position: 4_000 });
    await expect(rig.client.ask({ type: "RESUME" })).rejects.toMatchObject({ code: "unavailable" });
    await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "unavailable" });
    rig.advance(60_000);
    rig.pushCard();
    expect(await rig.until(({ state }) => state === "playing")).toMatchObject({ position: 4_000 });
  });

  test("a crash of playback itself: the next incarnation goes on", async () => {
    await start();
    await rig.play(surah(5));
    rig.advance(4_000);
    const { ref } = rig.tree.actors().find(({ path }) => path === "appliance/playback")!;
    // Neither a source nor somebody who asked for one: no such event is ever sent.
    ref.send({ type: "SOURCE_RESOLVED", id: null });
    await vi.waitFor(() => expect(rig.audio().loads).toMatchObject([{ startMs: 0 }, { startMs: 4_000 }]));
    expect(rig.tree.crashes()).toHaveLength(1);
    await rig.until(({ state }) => state === "playing");
  });
});
