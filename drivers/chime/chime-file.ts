import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const rate = 22_050;
/** A falling fifth, struck twice: when each begins in seconds, and how high it is in hertz. */
const strokes = [
  [0, 659.26],
  [0.9, 440],
  [2.6, 659.26],
  [3.5, 440],
] as const;
const seconds = 6.5;
/** A bell's partials: how high, how loud, how fast it fades. */
const partials = [
  [1, 0.5, 1.4],
  [2, 0.25, 2.2],
  [2.76, 0.15, 3.1],
  [5.4, 0.06, 5],
] as const;

/** The built-in chime as 16-bit mono WAV. */
export function chimeWav(): Buffer {
  const count = Math.floor(rate * seconds);
  const wav = Buffer.alloc(44 + count * 2);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(36 + count * 2, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(count * 2, 40);
  for (let n = 0; n < count; n++) {
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, levelAt(n / rate))) * 32_000), 44 + n * 2);
  }
  return wav;
}

function levelAt(time: number): number {
  let level = 0;
  for (const [start, pitch] of strokes) {
    const since = time - start;
    if (since < 0) continue;
    const attack = Math.min(1, since * 200);
    for (const [ratio, loudness, fading] of partials) {
      level += attack * loudness * Math.exp(-since * fading) * Math.sin(2 * Math.PI * pitch * ratio * since);
    }
  }
  return level * 0.6 * Math.min(1, (seconds - time) * 4);
}

/** Writes the chime where the player can read it, once. */
export async function makeChime(path: string): Promise<void> {
  const known = await stat(path).catch(() => null);
  if (known?.size === 44 + Math.floor(rate * seconds) * 2) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, chimeWav());
  await rename(`${path}.new`, path);
}
