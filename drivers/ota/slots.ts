/** Two places for a release, and a pointer that is replaced whole: after any power cut it names the old or the new. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { type ArchiveFile, isSafePath, pack } from "./archive.ts";
import { type Disk, replaceText, systemDisk } from "./disk.ts";

export type SlotName = "a" | "b";

const Release = z.strictObject({
  slot: z.enum(["a", "b"]),
  version: z.string(),
  /** Of the archive that the slot packs to. */
  sha256: z.string(),
});
type Release = z.output<typeof Release>;

const Pointer = z.strictObject({
  /** What is known to work; null is the release that the device was installed with. */
  active: Release.nullable(),
  /** What is to be tried next, and how often it was. */
  trial: Release.extend({ tries: z.int().min(0) }).nullable(),
  /** The last trial that came to nothing. */
  rolledBack: z.strictObject({ version: z.string(), reason: z.string() }).nullable(),
});
export type Pointer = z.output<typeof Pointer>;

const factory: Pointer = { active: null, trial: null, rolledBack: null };
const pointerName = "pointer.json";
const maxTries = 3;

export const slotsIn = (home: string) => join(home, "slots");
export const slotPath = (home: string, slot: SlotName) => join(slotsIn(home), slot);

/** A pointer that cannot be read is the factory's: the release beside the slots always boots. */
export async function readPointer(home: string, disk: Disk = systemDisk): Promise<Pointer> {
  const text = await disk.readText(join(slotsIn(home), pointerName));
  try {
    const known = Pointer.safeParse(JSON.parse(text ?? "null"));
    return known.success ? known.data : factory;
  } catch {
    return factory;
  }
}

export async function writePointer(home: string, pointer: Pointer, disk: Disk = systemDisk): Promise<void> {
  await replaceText(disk, slotsIn(home), pointerName, `${JSON.stringify(pointer)}\n`);
}

/** What runs now. `release` null: the one that the device was installed with. */
export interface Choice {
  release: Release | null;
  directory: string | null;
  /** It has still to report healthy. */
  trial: boolean;
}

/** Decides at start which release runs; a trial is counted before it runs, and given up after three. */
export async function chooseSlot(home: string, disk: Disk = systemDisk): Promise<Choice> {
  const pointer = await readPointer(home, disk);
  const { active, trial } = pointer;
  if (!trial) return choiceOf(home, active, false);
  if (trial.tries >= maxTries) {
    await rollBack(home, `it did not report healthy in ${maxTries} starts`, disk);
    return choiceOf(home, active, false);
  }
  if ((await treeHash(slotPath(home, trial.slot), disk)) !== trial.sha256) {
    await rollBack(home, "its slot does not hold what was verified", disk);
    return choiceOf(home, active, false);
  }
  await writePointer(home, { ...pointer, trial: { ...trial, tries: trial.tries + 1 } }, disk);
  return choiceOf(home, trial, true);
}

/** The release under trial works: from now on it is the one to go back to. */
export async function reportHealthy(home: string, disk: Disk = systemDisk): Promise<void> {
  const { trial } = await readPointer(home, disk);
  if (!trial || trial.tries === 0) return;
  const { tries: _, ...release } = trial;
  await writePointer(home, { active: release, trial: null, rolledBack: null }, disk);
}

/** Gives the trial up; the next start runs what ran before. */
export async function rollBack(home: string, reason: string, disk: Disk = systemDisk): Promise<void> {
  const { active, trial } = await readPointer(home, disk);
  if (!trial) return;
  await writePointer(home, { active, trial: null, rolledBack: { version: trial.version, reason } }, disk);
}

function choiceOf(home: string, release: Release | null, trial: boolean): Choice {
  if (!release) return { release: null, directory: null, trial: false };
  const { slot, version, sha256 } = release;
  return { release: { slot, version, sha256 }, directory: slotPath(home, slot), trial };
}

/** The hash of the archive that a directory packs to; null when it holds what no archive may. */
export async function treeHash(directory: string, disk: Disk = systemDisk): Promise<string | null> {
  const files: ArchiveFile[] = [];
  if (!(await collect(directory, "", files, disk))) return null;
  const hash = createHash("sha256");
  try {
    for await (const piece of pack(files, (path) => disk.read(join(directory, path)))) hash.update(piece);
  } catch {
    return null;
  }
  return hash.digest("hex");
}

async function collect(root: string, path: string, files: ArchiveFile[], disk: Disk): Promise<boolean> {
  const entries = await disk.list(join(root, path));
  if (!entries) return false;
  for (const { name, kind, size, executable } of entries) {
    const inside = path === "" ? name : `${path}/${name}`;
    if (kind === "other" || !isSafePath(inside)) return false;
    if (kind === "file") files.push({ path: inside, size, executable });
    else if (!(await collect(root, inside, files, disk))) return false;
  }
  return true;
}
