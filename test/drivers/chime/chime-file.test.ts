import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chimeWav, makeChime } from "../../../drivers/chime/chime-file.ts";
import { describeWith } from "../../real-part.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "minaret-chime-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("is written once, and again when it was cut short", async () => {
  const path = join(folder, "deep/chime.wav");
  await makeChime(path);
  expect(readFileSync(path).equals(chimeWav())).toBe(true);
  writeFileSync(path, "RIFF");
  await makeChime(path);
  expect(readFileSync(path).length).toBeGreaterThan(100_000);
});

it("is heard and does not clip", () => {
  const wav = chimeWav();
  let loudest = 0;
  for (let at = 44; at < wav.length; at += 2) loudest = Math.max(loudest, Math.abs(wav.readInt16LE(at)));
  expect(loudest).toBeGreaterThan(8_000);
  expect(loudest).toBeLessThan(32_000);
});

describeWith(["ffprobe"], "the chime as a player sees it", () => {
  it("is six and a half seconds of mono PCM", async () => {
    const path = join(folder, "chime.wav");
    await makeChime(path);
    const probe = spawnSync(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=codec_name,channels,duration", "-of", "json", path],
      { encoding: "utf8" },
    );
    const [stream] = JSON.parse(probe.stdout).streams;
    expect([stream.codec_name, stream.channels, Math.round(Number(stream.duration) * 10)]).toEqual([
      "pcm_s16le",
      1,
      65,
    ]);
  });
});
