import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListedReciter, Listing, Track } from "../../machines/appliance/library-listing.ts";
import { isLossless, readFileName, sameName } from "../../machines/appliance/library-names.ts";

interface Folder {
  name: string;
  path: string;
  tracks: Map<number, Track>;
}

const sliceMs = 4;
const byName = new Intl.Collator("en", { numeric: true });

/**
 * Lists the card; null when it is not there. Directories are read in the thread pool, since that is what waits
 * for a slow card; their entries are then in memory, and a call per file is cheaper here than a trip to a thread.
 */
export async function scanCard(card: string): Promise<Listing | null> {
  const root = await realpath(card).catch(() => null);
  const top = root && (await readdir(root, { withFileTypes: true }).catch(() => null));
  if (!root || !top) return null;
  const folders = new Map<string, Folder>();
  let ignored = 0;
  let sliceEnds = performance.now() + sliceMs;
  for (const entry of top.sort((a, b) => byName.compare(a.name, b.name))) {
    if (entry.name.startsWith(".")) continue;
    if (entry.isSymbolicLink() && leaves(root, join(root, entry.name))) {
      ignored++;
      continue;
    }
    if (!entry.isDirectory() && !entry.isSymbolicLink()) continue;
    const files = await readdir(join(root, entry.name)).catch(() => []);
    const name = sameName(entry.name);
    const folder = folders.get(name) ?? { name, path: entry.name, tracks: new Map() };
    for (const file of files) if (!take(root, entry.name, file, folder)) ignored++;
    if (performance.now() > sliceEnds) {
      await nextTurn();
      sliceEnds = performance.now() + sliceMs;
    }
    if (folder.tracks.size > 0) folders.set(name, folder);
  }
  return { reciters: [...folders.values()].map(listed), ignored };
}

/** Puts a file into its slot; false when it is one that is counted as ignored. */
function take(root: string, parent: string, file: string, folder: Folder): boolean {
  const name = readFileName(file);
  if (name.kind === "other") return true;
  const absolute = `${root}${sep}${parent}${sep}${file}`;
  const stats = statOf(root, absolute);
  if (!stats) return false;
  if (!stats.isFile()) return true;
  if (name.kind === "ignored") return false;
  const path = `${parent}/${file}`;
  const other = folder.tracks.get(name.number);
  if (!other || isBetter(path, name.lossless, other.path))
    folder.tracks.set(name.number, {
      number: name.number,
      path,
      size: stats.size,
      mtimeMs: Math.floor(stats.mtimeMs),
      durationMs: 0,
    });
  return true;
}

/** Lossless before lossy; otherwise by name, so that the choice does not depend on the file system's order. */
function isBetter(path: string, lossless: boolean, other: string): boolean {
  return lossless === isLossless(other) ? path < other : lossless;
}

/** What a name stands for; nothing when it leads out of the card or nowhere. */
function statOf(root: string, path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) return stats;
    return leaves(root, path) ? undefined : statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether a link leads out of the card, or nowhere. */
function leaves(root: string, path: string): boolean {
  try {
    return !`${realpathSync.native(path)}${sep}`.startsWith(`${root}${sep}`);
  } catch {
    return true;
  }
}

function listed({ name, path, tracks }: Folder): ListedReciter {
  return { name, path, tracks: [...tracks.values()].sort((a, b) => a.number - b.number) };
}
