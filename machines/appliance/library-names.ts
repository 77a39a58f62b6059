/** What the name of a file in a reciter's folder says. */
export type FileName =
  | { kind: "surah"; number: number; lossless: boolean }
  /** Counted, not listed: hidden, one file per ayah, or a number that is no surah's. */
  | { kind: "ignored" }
  /** Not audio, and nobody's business. */
  | { kind: "other" };

const audio = /\.(mp3|m4a|ogg|opus|flac|wav)$/i;

export function readFileName(name: string): FileName {
  if (name.startsWith(".")) return { kind: "ignored" };
  if (!audio.test(name)) return { kind: "other" };
  const number = /^\d{3}[ ._-]/.test(name) ? Number(name.slice(0, 3)) : 0;
  if (number < 1 || number > 114) return { kind: "ignored" };
  return { kind: "surah", number, lossless: isLossless(name) };
}

export function isLossless(name: string): boolean {
  return /\.(flac|wav)$/i.test(name);
}

/** The form in which names are compared and shown: cards from a Mac spell "é" with two characters. */
export function sameName(name: string): string {
  return name.normalize("NFC");
}
