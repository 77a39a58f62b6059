import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

export interface DiskFile {
  write(bytes: Uint8Array): Promise<void>;
  /** On the medium, not only in the page cache, when it resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface DiskEntry {
  name: string;
  kind: "file" | "directory" | "other";
  size: number;
  executable: boolean;
}

/** The few calls that an update makes on the disk, so that a test can cut the power at any one of them. */
export interface Disk {
  /** A new file; an existing one is an error. */
  create(path: string, options?: { executable?: boolean }): Promise<DiskFile>;
  read(path: string): AsyncIterable<Uint8Array>;
  /** Null when there is no such file. */
  readText(path: string): Promise<string | null>;
  /** Null when there is no such directory. */
  list(path: string): Promise<DiskEntry[] | null>;
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** With everything in it; nothing there is fine. */
  remove(path: string): Promise<void>;
  /** Makes names that were created, renamed or removed in it last. */
  syncDirectory(path: string): Promise<void>;
  freeBytes(path: string): Promise<number>;
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";

/** The real one. */
export const systemDisk: Disk = {
  async create(path, { executable = false } = {}) {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = await open(path, flags, executable ? 0o755 : 0o644);
    return {
      // FileHandle.write may write less than it was given.
      write: (bytes) => file.writeFile(bytes),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  async *read(path) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    yield* file.createReadStream({ highWaterMark: 256 * 1024 });
  },
  async readText(path) {
    return await readFile(path, "utf8").catch(orNull);
  },
  async list(path) {
    const found = await readdir(path, { withFileTypes: true }).catch(orNull);
    return (
      found &&
      (await Promise.all(
        found.map(async (entry): Promise<DiskEntry> => {
          const { name } = entry;
          if (entry.isDirectory()) return { name, kind: "directory", size: 0, executable: false };
          if (!entry.isFile()) return { name, kind: "other", size: 0, executable: false };
          const { size, mode } = await stat(join(path, name));
          return { name, kind: "file", size, executable: (mode & 0o100) !== 0 };
        }),
      ))
    );
  },
  async makeDirectory(path) {
    await mkdir(path, { recursive: true });
  },
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
  async syncDirectory(path) {
    const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};

function orNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Replaces a small file whole: a reader finds the old text or the new one, also after a power cut. */
export async function replaceText(disk: Disk, directory: string, name: string, text: string): Promise<void> {
  const draft = join(directory, `${name}.new`);
  await disk.remove(draft);
  const file = await disk.create(draft);
  try {
    await file.write(Buffer.from(text));
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(draft, join(directory, name));
  await disk.syncDirectory(directory);
}
