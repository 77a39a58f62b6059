import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { MpvAudio } from "../../../drivers/audio/mpv.ts";
import { describeWith } from "../../real-part.ts";
import { Ear, housePolicy } from "./hear.ts";
import { formats, media } from "./media.ts";

const options = { startMs: 0, paused: false, volume: 40 };

describeWith(["mpv", "ffmpeg"], "mpv plays files", () => {
  let folder: string;
  let audio: MpvAudio;
  let ear: Ear;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "minaret-mpv-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(async () => {
    audio = new MpvAudio({ policy: housePolicy, ao: "null" });
    ear = new Ear(audio);
    await audio.open();
  });
  afterEach(() => audio.close());

  const load = (path: string, token: string, more: Partial<typeof options> = {}) =>
    audio.load({ kind: "file", path }, { ...options, ...more, token });

  it.each(Object.entries(formats))("%s: it plays, with its length", async (extension, codec) => {
    await load(media(extension, 3, ...codec), "a");
    const { durationMs, seekable } = await ear.on("loaded", "a");
    expect(durationMs).toBeGreaterThanOrEqual(2_990);
    expect(durationMs).toBeLessThan(3_100);
    expect(seekable).toBe(true);
  });

  it("reports the end when it is there, not before", async () => {
    await load(media("mp3", 1, ...formats.mp3), "a");
    const { durationMs } = await ear.on("loaded", "a");
    const from = performance.now();
    await ear.on("ended", "a");
    expect(performance.now() - from).toBeGreaterThan(durationMs - 60);
    expect(audio.positionMs()).toBeGreaterThan(durationMs - 60);
  });

  const broken: Record<string, () => Buffer> = {
    "an empty file": () => Buffer.alloc(0),
    "random bytes": () => Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 251)),
    "a header without sound": () => readFileSync(media("wav", 3, ...formats.wav)).subarray(0, 44),
    "an m4a cut before its index": () => readFileSync(media("m4a", 3, ...formats.m4a)).subarray(0, 9_000),
    "a flac whose frames are rubbish": () => readFileSync(media("flac", 3, ...formats.flac)).fill(7, 200),
    "a playlist under a false name": () => Buffer.from(`#EXTM3U\n${media("mp3", 3, ...formats.mp3)}\n`),
    "a concat script under a false name": () => Buffer.from("ffconcat version 1.0\nfile /etc/hostname\n"),
  };
  it.each(Object.keys(broken))("%s fails with a reason", async (what) => {
    const path = join(folder, "broken.mp3");
    writeFileSync(path, broken[what]!());
    await load(path, "a");
    expect(await ear.verdict("a")).toMatch(/not audio|no audio|cannot be/);
  });

  it("a missing file fails and says so", async () => {
    await load(join(folder, "none.mp3"), "a");
    expect(await ear.verdict("a")).toBe("the file does not exist");
  });

  it("a truncated file plays what there is and ends", async () => {
    const path = join(folder, "cut.mp3");
    writeFileSync(path, readFileSync(media("mp3", 3, ...formats.mp3)).subarray(0, 8_000));
    await load(path, "a");
    expect(await ear.verdict("a")).toBe("loaded");
    await ear.on("ended", "a");
  });

  it("a file that vanished under it has not ended but failed", async () => {
    const path = join(folder, "gone.mp3");
    writeFileSync(path, readFileSync(media("mp3", 3, ...formats.mp3)).subarray(0, 8_000));
    await load(path, "a");
    await ear.on("loaded", "a");
    rmSync(path);
    expect((await ear.on("failed", "a")).reason).toBe("the file can no longer be read");
  });

  it("starts where it is told, and stands still when paused", async () => {
    await load(media("mp3", 20, ...formats.mp3), "a", { startMs: 12_000, paused: true });
    await ear.on("loaded", "a");
    const first = audio.positionMs();
    expect(Math.abs(first - 12_000)).toBeLessThan(50);
    await sleep(150);
    expect(audio.positionMs()).toBe(first);
    await audio.resume();
    await expect.poll(() => audio.positionMs()).toBeGreaterThan(12_100);
    await audio.pause();
    const stopped = audio.positionMs();
    await sleep(150);
    expect(audio.positionMs()).toBe(stopped);
  });

  it("seeks exactly; behind the end it is over", async () => {
    await load(media("mp3", 20, ...formats.mp3), "a", { paused: true });
    await ear.on("loaded", "a");
    await audio.seek(7_250);
    expect(Math.abs(audio.positionMs() - 7_250)).toBeLessThan(50);
    await audio.resume();
    await audio.seek(60_000);
    await ear.on("ended", "a");
  });

  it("begun behind its end it is over, and not broken", async () => {
    await load(media("mp3", 3, ...formats.mp3), "a", { startMs: 90_000 });
    await ear.on("ended", "a");
    expect(ear.heard.map(({ type }) => type)).not.toContain("failed");
  });

  it("a load that was replaced is heard of no more, also when it would have failed", async () => {
    const broken = join(folder, "replaced.mp3");
    writeFileSync(broken, "no audio at all");
    // Accepted is not yet read: the end of the broken one is on its way while the next is loaded.
    for (let i = 0; i < 10; i++) await load(broken, `t${i}`);
    const both = Array.from({ length: 10 }, (_, i) =>
      load(i % 2 === 0 ? broken : media("mp3", 1, ...formats.mp3), `t${10 + i}`),
    );
    await Promise.all(both);
    await ear.on("ended", "t19");
    const last = ear.heard.filter((event) => "token" in event && event.token === "t19");
    expect(last.map(({ type }) => type).filter((type) => type !== "position")).toEqual(["loaded", "ended"]);
    expect(ear.heard.indexOf(last[0]!)).toBe(ear.heard.length - last.length);
  });

  it("after stop nothing more is heard, and the position is zero", async () => {
    await load(media("mp3", 3, ...formats.mp3), "a");
    await ear.on("loaded", "a");
    await audio.stop();
    const before = ear.heard.length;
    await sleep(150);
    expect(ear.heard).toHaveLength(before);
    expect(audio.positionMs()).toBe(0);
  });

  it("says that the player died, keeps its position, and refuses commands", async () => {
    await load(media("mp3", 20, ...formats.mp3), "a", { startMs: 5_000 });
    await ear.on("position", "a");
    process.kill(audio.pid!, "SIGKILL");
    expect((await ear.on("died")).reason).toMatch(/mpv/);
    expect(audio.positionMs()).toBeGreaterThanOrEqual(5_000);
    expect(audio.positionMs()).toBeLessThan(8_000);
    await expect(audio.pause()).rejects.toThrow("not running");
    await audio.close();
    await audio.close();
    expect(ear.heard.filter(({ type }) => type === "died")).toHaveLength(1);
  });

  it("close leaves no process and says nothing of a death", async () => {
    const { pid } = audio;
    await audio.close();
    await audio.close();
    expect(() => process.kill(pid!, 0)).toThrow("ESRCH");
    expect(ear.heard).toEqual([]);
  });

  it("an mpv that cannot be started is an error of open", async () => {
    const wrong = new MpvAudio({ policy: housePolicy, program: join(folder, "no-such-mpv") });
    await expect(wrong.open()).rejects.toThrow("cannot be started");
    await wrong.close();
  });

  it("mpv goes when its owner is killed outright", async () => {
    const script = `
      import { MpvAudio } from ${JSON.stringify(join(import.meta.dirname, "../../../drivers/audio/mpv.ts"))};
      const audio = new MpvAudio({ policy: { schemes: ["http:"], allowPrivate: true, ownPorts: () => [] }, ao: "null" });
      await audio.open();
      console.log(audio.pid);`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await once(owner.stdout, "data");
    const pid = Number(String(printed));
    expect(isRunning(pid)).toBe(true);
    owner.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  });
});

/** A process that has ended but was not yet reaped does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
