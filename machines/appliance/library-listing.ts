import { sameName } from "./library-names.ts";
import { surahs } from "./surahs.ts";

/** One surah of one reciter, as it lies on the card. */
export interface Track {
  number: number;
  /** Relative to the card, as its file system spells it. */
  path: string;
  size: number;
  mtimeMs: number;
  /** 0 until the file was read. */
  durationMs: number;
}

export interface ListedReciter {
  name: string;
  path: string;
  /** In the order of the surahs, each at most once. */
  tracks: readonly Track[];
}

/** What a scan of the card found. */
export interface Listing {
  reciters: readonly ListedReciter[];
  ignored: number;
}

export const emptyListing: Listing = { reciters: [], ignored: 0 };

/** A reciter as the API shows it. */
export interface ReciterView {
  name: string;
  path: string;
  surah_count: number;
  total_size: number;
}

/** One of the 114 slots of a reciter. */
export interface SurahSlot {
  number: number;
  name: string;
  name_ar: string;
  name_en: string;
  available: boolean;
  path: string | null;
  duration: number;
}

export function reciterView({ name, path, tracks }: ListedReciter): ReciterView {
  const total = tracks.reduce((sum, track) => sum + track.size, 0);
  return { name, path, surah_count: tracks.length, total_size: total };
}

export function findReciter(listing: Listing, name: string): ListedReciter | null {
  const wanted = sameName(name);
  return listing.reciters.find((reciter) => reciter.name === wanted) ?? null;
}

/** The 114 slots of a reciter, filled or empty. */
export function surahSlots(reciter: ListedReciter): SurahSlot[] {
  const found = new Map(reciter.tracks.map((track) => [track.number, track]));
  return surahs.map(({ name, name_ar, name_en }, index) => {
    const track = found.get(index + 1);
    const path = track?.path ?? null;
    const duration = track?.durationMs ?? 0;
    return { number: index + 1, name, name_ar, name_en, available: track !== undefined, path, duration };
  });
}

/** The listing with the lengths that were read meanwhile, by path. */
export function withDurations(listing: Listing, durations: ReadonlyMap<string, number>): Listing {
  const reciters = listing.reciters.map((reciter) => {
    if (!reciter.tracks.some(({ path }) => durations.has(path))) return reciter;
    const tracks = reciter.tracks.map((track) => ({
      ...track,
      durationMs: durations.get(track.path) ?? track.durationMs,
    }));
    return { ...reciter, tracks };
  });
  return { ...listing, reciters };
}

/** A new listing with the lengths of files that are still the same. */
export function keepDurations(old: Listing, fresh: Listing): Listing {
  const known = new Map(
    old.reciters.flatMap(({ tracks }) => tracks.map((track) => [track.path, track] as const)),
  );
  const same = new Map<string, number>();
  for (const { path, size, mtimeMs } of fresh.reciters.flatMap(({ tracks }) => tracks)) {
    const before = known.get(path);
    if (before && before.durationMs > 0 && before.size === size && before.mtimeMs === mtimeMs)
      same.set(path, before.durationMs);
  }
  return same.size > 0 ? withDurations(fresh, same) : fresh;
}
