import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a machine without a card plays: tones of our own, so that nothing has to be downloaded. */
const library = [
  { folder: "Demo tones (low)", base: 174.61, surahs: [1, 36, 55, 67, 112, 113, 114] },
  { folder: "Demo tones (high)", base: 261.63, surahs: [1, 103, 108, 112, 114] },
] as const;

const rate = 16_000;
const noteSeconds = 1;
/** A quiet pentatonic walk; which step comes when depends on the number of the surah. */
const steps = [1, 9 / 8, 5 / 4, 3 / 2, 5 / 3];

/** Writes the demo library where no card is; true when it did. Half a library is never left behind. */
export async function ensureDemoCard(card: string): Promise<boolean> {
  const exists = await stat(card).then(
    () => true,
    () => false,
  );
  if (exists) return false;
  const draft = `${card}.draft`;
  await rm(draft, { recursive: true, force: true });
  for (const { folder, base, surahs } of library) {
    await mkdir(join(draft, folder), { recursive: true });
    for (const number of surahs) {
      const name = `${String(number).padStart(3, "0")}.wav`;
      await writeFile(join(draft, folder, name), tones(base, number, 6 + (number % 5)));
    }
  }
  await rename(draft, card);
  return true;
}

/** A WAV file of gentle tones. */
export function tones(base: number, seed: number, notes: number): Buffer {
  const samples = rate * noteSeconds * notes;
  const file = Buffer.alloc(44 + samples * 2);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(36 + samples * 2, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(1, 22); // mono
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples * 2, 40);
  const perNote = rate * noteSeconds;
  for (let note = 0; note < notes; note++) {
    const step = (2 * Math.PI * base * (steps[(seed * (note + 1) + note) % steps.length] ?? 1)) / rate;
    for (let i = 0; i < perNote; i++) {
      // Swells and fades within each note, so that nothing clicks.
      const level = 0.2 * Math.sin((Math.PI * i) / perNote) ** 2;
      const wave = Math.sin(step * i) + 0.3 * Math.sin(2 * step * i);
      file.writeInt16LE(Math.round(32_767 * level * wave * 0.75), 44 + 2 * (note * perNote + i));
    }
  }
  return file;
}
