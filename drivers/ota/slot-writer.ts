import { dirname, join } from "node:path";
import type { ArchiveFile } from "./archive.ts";
import type { Disk, DiskFile } from "./disk.ts";

/** Writes the files of a release under one directory; every file and every directory is synced before `finish` resolves. */
export function slotWriter(disk: Disk, directory: string) {
  const made = new Set<string>();
  let open: DiskFile | null = null;

  async function ensure(path: string): Promise<void> {
    if (made.has(path)) return;
    if (path !== directory) await ensure(dirname(path));
    await disk.makeDirectory(path);
    made.add(path);
  }

  async function shut(): Promise<void> {
    const file = open;
    open = null;
    await file?.close();
  }

  return {
    start: () => ensure(directory),
    async begin({ path, executable }: ArchiveFile): Promise<void> {
      await shut();
      const target = join(directory, path);
      await ensure(dirname(target));
      open = await disk.create(target, { executable });
    },
    async write(piece: Uint8Array): Promise<void> {
      await open?.write(piece);
    },
    async end(): Promise<void> {
      await open?.sync();
      await shut();
    },
    /** Lets go of a file that was not finished. */
    abandon: shut,
    async finish(): Promise<void> {
      for (const path of made) await disk.syncDirectory(path);
    },
  };
}
