import { DomainError } from "../../machines/errors.ts";

/** The true length of an audio file; `invalid_input` where it holds no audio, the system's error where it cannot be read. */
export async function readDurationMs(path: string): Promise<number> {
  const { parseFile } = await import("music-metadata");
  const quick = await parseFile(path, { skipCovers: true }).catch((cause: unknown) => unreadable(cause));
  const seconds = quick.format.duration;
  if (seconds !== undefined && seconds > 0) return Math.round(seconds * 1_000);
  // Only files without a length in their head are read through to the end.
  const whole = await parseFile(path, { skipCovers: true, duration: true }).catch(unreadable);
  const found = Math.round((whole.format.duration ?? 0) * 1_000);
  return found > 0 ? found : unreadable(null);
}

function unreadable(cause: unknown): never {
  if (cause instanceof Error && "syscall" in cause) throw cause;
  throw new DomainError("invalid_input", "this is not audio that can be played", { cause });
}
