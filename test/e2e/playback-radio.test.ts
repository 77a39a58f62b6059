import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { formats, media, streamBytes } from "../drivers/audio/media.ts";
import { live, type Page, Radio, ranged, redirect, text } from "../drivers/audio/radio.ts";
import { describeWith } from "../real-part.ts";
import { type PlayingAppliance, startPlaying } from "./playing-appliance.ts";

describeWith(["mpv", "ffmpeg"], "radio through mpv", () => {
  let player: PlayingAppliance;
  let radio: Radio;
  let asked = 0;
  const open = new Set<ServerResponse>();
  /** Some seconds of sound, then nothing more, while the connection stays. */
  const stalling: Page = (_request, response) => {
    response.writeHead(200, { "content-type": "audio/mpeg" });
    response.write(streamBytes().subarray(0, 8_000 * 2));
    open.add(response);
  };

  beforeAll(async () => {
    const bytes = streamBytes();
    radio = await new Radio({
      "/live": live(bytes),
      "/dropping": (request, response) => {
        asked++;
        if (asked === 1) stalling(request, response);
        if (asked === 1) setTimeout(() => response.socket?.destroy(), 200);
        else if (asked <= 4) response.socket?.destroy();
        else live(bytes)(request, response);
      },
      "/moved": redirect(() => radio.url("/live")),
      "/round": redirect(() => radio.url("/round")),
      "/stalling": stalling,
      "/silent": (_request, response) => void open.add(response),
      "/rubbish": text("<html>this is a page, not a radio</html>", "audio/mpeg"),
      "/gone": (_request, response) => response.writeHead(503).end(),
      "/file.mp3": ranged(bytes),
    }).open();
    player = await startPlaying("mpv", { "Demo/001.flac": media("flac", 30, ...formats.flac) });
  });
  afterEach(() => player.call("/playback/stop"));
  afterAll(async () => {
    await player.stop();
    await radio.close();
  });
  const tune = (path: string) => player.call("/playback/play", { url: radio.url(path) });

  test("a live stream plays, has no length, and cannot be sought", async () => {
    const { status, body } = await tune("/live");
    expect(status).toBe(200);
    expect(body).toMatchObject({ mode: "stream", duration: 0, reciter: "", surah_number: 0 });
    expect(body.stream).toMatchObject({ url: radio.url("/live") });
    const refused = await player.call("/playback/seek", { position: 1_000 });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining("position") } });
    expect((await player.call("/playback/next")).status).toBe(400);
  });

  test("a live stream saves no position and leaves the saved one alone", async () => {
    await player.call("/playback/play", { path: "Demo/001.flac" });
    await player.call("/playback/seek", { position: 7_000 });
    await player.call("/playback/stop");
    await tune("/live");
    await player.call("/playback/pause");
    await player.call("/playback/stop");
    const { body } = await player.call("/playback/resume-saved");
    expect(body).toMatchObject({ mode: "file", track: "Demo/001.flac" });
    expect(body.position).toBeGreaterThanOrEqual(7_000);
  });

  test("a stream that is a file has a length and can be sought", async () => {
    const { body } = await tune("/file.mp3");
    expect(Math.abs(body.duration - 20_000)).toBeLessThan(200);
    const sought = await player.call("/playback/seek", { position: 9_000 });
    expect(sought.body.position).toBeGreaterThanOrEqual(9_000);
  });

  test("a redirect is followed", async () => {
    expect((await tune("/moved")).status).toBe(200);
  });

  test("a dropped stream buffers, says so, and comes back by itself", async () => {
    expect((await tune("/dropping")).status).toBe(200);
    await player.until(({ state }) => state === "buffering");
    await player.until(({ state }) => state === "playing");
    expect(player.notices).toContainEqual(
      expect.objectContaining({ kind: "reconnecting", track: radio.url("/dropping") }),
    );
  });

  test("a stream that stalls shows buffering, and can be left", async () => {
    expect((await tune("/stalling")).status).toBe(200);
    await player.until(({ state }) => state === "buffering");
    expect((await player.status()).underrun_count).toBeGreaterThan(0);
    expect((await player.call("/playback/stop")).body.state).toBe("stopped");
  });

  test.each([["/rubbish"], ["/gone"], ["/round"]])(
    "%s is a 400 that says why, and what was on comes back",
    async (path) => {
      await player.call("/playback/play", { path: "Demo/001.flac" });
      const { status, body } = await tune(path);
      expect({ status, error: body.error }).toMatchObject({
        status: 400,
        error: expect.stringMatching(/^url: /),
      });
      await player.until(({ state, track }) => state === "playing" && track === "Demo/001.flac");
    },
  );

  test("a server that accepts and says nothing is given up before the caller is", async () => {
    const { status, body } = await tune("/silent");
    expect({ status, error: body.error }).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^url: /),
    });
    expect(await player.until(({ state }) => state === "stopped")).toMatchObject({ mode: "idle" });
  });
});
