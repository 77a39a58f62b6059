import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(tmpdir(), "minaret-test-media");

/** A file made by ffmpeg with these arguments; kept between runs under a name that tells what is in it. */
export function media(extension: string, seconds: number, ...codec: string[]): string {
  const args = ["-f", "lavfi", "-i", `sine=frequency=330:duration=${seconds}`, ...codec];
  const name = createHash("sha256")
    .update([extension, ...args].join(" "))
    .digest("hex")
    .slice(0, 16);
  const path = join(folder, `${name}.${extension}`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${name}.${process.pid}.${extension}`);
  execFileSync("ffmpeg", ["-v", "error", "-y", ...args, draft]);
  renameSync(draft, path);
  return path;
}

export const formats = {
  mp3: ["-b:a", "64k"],
  m4a: ["-c:a", "aac"],
  ogg: ["-c:a", "libvorbis"],
  opus: ["-c:a", "libopus"],
  flac: ["-c:a", "flac"],
  wav: ["-c:a", "pcm_s16le"],
} as const;

/** The bytes of a recitation long enough to stream. */
export function streamBytes(): Buffer {
  return readFileSync(media("mp3", 20, "-b:a", "64k"));
}
