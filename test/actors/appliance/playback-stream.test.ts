import { afterEach, beforeEach, expect, test } from "vitest";
import { Radio } from "../../drivers/audio/radio.ts";
import { type Rig, startRig, surah } from "./playback-rig.ts";

let rig: Rig;
let radio: Radio;
let onAir = true;
let hangUp = () => {};
beforeEach(async () => {
  onAir = true;
  radio = await new Radio({
    "/live": (_request, response) => {
      if (!onAir) return void response.writeHead(503).end();
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write("some sound");
      hangUp = () => response.destroy();
    },
  }).open();
  rig = await startRig({ files: { [surah(1)]: 4_000 } });
});
afterEach(async () => {
  await rig.stop();
  await radio.close();
});
const tune = () => rig.client.ask({ type: "PLAY", request: { url: radio.url("/live"), name: "House" } });

test("a live stream has a name, no length, no neighbours and no position to save", async () => {
  expect(await tune()).toMatchObject({
    state: "playing",
    mode: "stream",
    duration: 0,
    stream: { url: radio.url("/live"), name: "House" },
  });
  await expect(rig.client.ask({ type: "SEEK", position: 1 })).rejects.toMatchObject({ field: "position" });
  await expect(rig.client.ask({ type: "NEXT" })).rejects.toMatchObject({ code: "conflict" });
  rig.advance(2_000);
  const before = await rig.writes();
  for (let second = 0; second < 60; second++) {
    rig.advance(1_000);
    await rig.store.idle();
  }
  expect((await rig.writes()) - before).toBe(0);
  expect(rig.status().hasResumeState).toBe(false);
});

test("a stream that is lost is tried again with growing patience, and given up in the end", async () => {
  await tune();
  onAir = false;
  hangUp();
  for (let attempt = 1; attempt <= 8; attempt++) {
    await rig.until(({ state }) => state === "buffering" && rig.notices.length === attempt);
    expect(rig.notices.at(-1)).toEqual({
      kind: "reconnecting",
      track: radio.url("/live"),
      reason: `attempt ${attempt} of 8`,
    });
    const loads = rig.audio().loads.length;
    rig.advance(Math.min(30_000, 1_000 * 2 ** (attempt - 1)) - 50);
    expect(rig.audio().loads).toHaveLength(loads);
    rig.advance(50);
    await rig.until(() => rig.notices.length > attempt);
  }
  await rig.until(({ state }) => state === "stopped");
  expect(rig.status().notice).toMatchObject({ kind: "stopped", track: radio.url("/live") });
});

test("a stream that comes back plays on", async () => {
  await tune();
  rig.audio().die();
  await rig.until(({ state }) => state === "playing");
  expect(rig.audio().loads).toMatchObject([{ kind: "stream", startMs: 0 }]);
});

test("an adhan over a stream gives it back by connecting again", async () => {
  await tune();
  const { length } = radio.asked;
  await rig.client.ask({ type: "PLAY_ADHAN", path: surah(1), chime: "", volume: 60 });
  rig.advance(4_000);
  expect(await rig.until(({ state, mode }) => state === "playing" && mode === "stream")).toMatchObject({
    stream: { name: "House" },
  });
  expect(radio.asked).toHaveLength(length + 1);
});

test("a radio that was on when the power went comes back on", async () => {
  await tune();
  const { home } = rig;
  await rig.stop(true);
  rig = await startRig({ home, autoResume: true });
  expect(await rig.until(({ state }) => state === "playing")).toMatchObject({ mode: "stream" });
});
