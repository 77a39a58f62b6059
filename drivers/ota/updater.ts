/** Takes an image in, proves it and puts it beside the running release; nothing is ever held whole in memory. */
import { createHash, type KeyObject } from "node:crypto";
import { dirname, join } from "node:path";
import {
  badImage,
  compareVersions,
  type ImageManifest,
  refusalOfImage,
} from "../../machines/appliance/image-manifest.ts";
import { DomainError } from "../../machines/errors.ts";
import { unpack } from "./archive.ts";
import { ByteReader } from "./byte-reader.ts";
import { readHead } from "./container.ts";
import { type Disk, systemDisk } from "./disk.ts";
import { slotWriter } from "./slot-writer.ts";
import { readPointer, type SlotName, slotPath, slotsIn, treeHash, writePointer } from "./slots.ts";

/** Told how much of a step is done, from 0 to 1. */
export type Report = (fraction: number) => void;

export interface UpdaterOptions {
  /** The appliance's home; the slots are under it. */
  home: string;
  board: string;
  /** The version that runs. */
  version: string;
  /** The slot that runs, null for the installed release. */
  running: SlotName | null;
  keys(): Promise<readonly KeyObject[]>;
  slotBytes?: number;
  disk?: Disk;
}

export const maxImageBytes = 256 * 1024 * 1024;
const spareBytes = 1024 * 1024;
const pieceBytes = 256 * 1024;

export class Updater {
  private readonly options: UpdaterOptions;
  private readonly disk: Disk;
  private staged: { manifest: ImageManifest; file: string } | null = null;
  private busy: Promise<unknown> = Promise.resolve();
  private stopped = false;
  private received = 0;

  constructor(options: UpdaterOptions) {
    this.options = options;
    this.disk = options.disk ?? systemDisk;
  }

  /** Throws away what an interrupted update left. */
  async open(): Promise<void> {
    const slots = slotsIn(this.options.home);
    await this.busy;
    this.stopped = false;
    await this.disk.makeDirectory(slots);
    for (const { name } of (await this.disk.list(slots)) ?? []) {
      if (name.startsWith("incoming")) await this.disk.remove(join(slots, name));
    }
  }

  /** Resolves when no step touches a slot any more. */
  async close(): Promise<void> {
    this.stopped = true;
    await this.busy;
    await this.discard();
  }

  /** Streams an image to the staging file; what is not signed for this device ends at its head. */
  async receive(
    bytes: AsyncIterable<Uint8Array>,
    length: number | null,
    report: Report,
  ): Promise<ImageManifest> {
    await this.discard();
    const reader = new ByteReader(bytes);
    const file = join(slotsIn(this.options.home), `incoming-${++this.received}.tar`);
    try {
      const manifest = await this.readManifest(reader);
      if (length !== null && length < reader.offset + manifest.size) throw badImage("it is truncated");
      if (length !== null && length > reader.offset + manifest.size) throw badImage("bytes follow its end");
      await this.needSpace(manifest.size);
      await this.stage(reader, file, manifest, report);
      this.goOn();
      this.staged = { manifest, file };
      return manifest;
    } catch (error) {
      await this.disk.remove(file);
      throw error;
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  /** Hashes the staged payload as it is on disk, then reads its archive to the end, before any slot is touched. */
  verify(report: Report): Promise<void> {
    return this.alone(() => this.verifyStaged(report));
  }

  /** Fills the inactive slot, proves it from disk, and only then points to it. */
  write(report: Report): Promise<void> {
    return this.alone(() => this.writeStaged(report));
  }

  private async verifyStaged(report: Report): Promise<void> {
    const { manifest, file } = this.ready();
    const hash = createHash("sha256");
    let done = 0;
    for await (const piece of this.disk.read(file)) {
      this.goOn();
      hash.update(piece);
      done += piece.length;
      report(done / manifest.size / 2);
    }
    if (hash.digest("hex") !== manifest.sha256) throw badImage("its hash is not the signed one");
    const reader = new ByteReader(this.disk.read(file));
    const pass = async () => {
      this.goOn();
      report(0.5 + reader.offset / manifest.size / 2);
    };
    try {
      await unpack(reader, { begin: pass, write: pass, end: pass });
    } finally {
      await reader.cancel();
    }
  }

  private async writeStaged(report: Report): Promise<void> {
    const { home } = this.options;
    const { manifest, file } = this.ready();
    const { version, sha256, size } = manifest;
    const pointer = await readPointer(home, this.disk);
    const slot = this.freeSlot(pointer.active?.slot ?? null, pointer.trial?.slot ?? null);
    const directory = slotPath(home, slot);
    if (pointer.trial) await writePointer(home, { ...pointer, trial: null }, this.disk);
    await this.disk.remove(directory);
    await this.needSpace(size);
    await this.fill(file, directory, size, report);
    await this.disk.syncDirectory(dirname(directory));
    if ((await treeHash(directory, this.disk)) !== sha256)
      throw new DomainError("internal", "the slot does not hold what was written to it");
    const trial = { slot, version, sha256, tries: 0 };
    await writePointer(home, { active: pointer.active, trial, rolledBack: null }, this.disk);
    await this.discard();
    report(1);
  }

  /** Steps that touch slots run one at a time, and `close` waits for them. */
  private alone(step: () => Promise<void>): Promise<void> {
    const run = this.busy.then(step);
    this.busy = run.catch(() => this.discard().catch(() => {}));
    return run;
  }

  private goOn(): void {
    if (this.stopped) throw new DomainError("unavailable", "the update was interrupted");
  }

  private async discard(): Promise<void> {
    const { staged } = this;
    this.staged = null;
    if (staged) await this.disk.remove(staged.file);
  }

  private ready(): { manifest: ImageManifest; file: string } {
    this.goOn();
    if (!this.staged) throw new DomainError("conflict", "no image has been received");
    return this.staged;
  }

  private freeSlot(active: SlotName | null, trial: SlotName | null): SlotName {
    if (trial !== null && trial === this.options.running)
      throw new DomainError("conflict", "the running version has not reported healthy yet");
    return active === "a" ? "b" : "a";
  }

  private async readManifest(reader: ByteReader): Promise<ImageManifest> {
    const { home, board, slotBytes = maxImageBytes } = this.options;
    const { active, trial } = await readPointer(home, this.disk);
    this.freeSlot(active?.slot ?? null, trial?.slot ?? null);
    const keys = await this.options.keys();
    if (keys.length === 0) throw new DomainError("unavailable", "no key for updates is installed");
    const manifest = await readHead(reader, keys);
    const installed = active?.version ?? this.options.version;
    const version = compareVersions(installed, this.options.version) > 0 ? installed : this.options.version;
    const refusal = refusalOfImage(manifest, { board, version, slotBytes });
    if (refusal) throw DomainError.from(refusal);
    return manifest;
  }

  private async stage(
    reader: ByteReader,
    path: string,
    { size }: ImageManifest,
    report: Report,
  ): Promise<void> {
    const file = await this.disk.create(path);
    try {
      for (let left = size; left > 0; report(1 - left / size)) {
        const piece = await reader.some(Math.min(left, pieceBytes));
        this.goOn();
        if (!piece) throw badImage("it is truncated");
        await file.write(piece);
        left -= piece.length;
      }
      if (await reader.some(1)) throw badImage("bytes follow its end");
      await file.sync();
    } finally {
      await file.close();
    }
  }

  private async fill(staged: string, directory: string, size: number, report: Report): Promise<void> {
    const writer = slotWriter(this.disk, directory);
    const reader = new ByteReader(this.disk.read(staged));
    try {
      await writer.start();
      await unpack(reader, {
        begin: (file) => writer.begin(file),
        write: async (piece) => {
          this.goOn();
          await writer.write(piece);
          report((reader.offset / size) * 0.9);
        },
        end: () => writer.end(),
      });
      await writer.finish();
    } finally {
      await writer.abandon();
      await reader.cancel();
    }
  }

  private async needSpace(bytes: number): Promise<void> {
    const free = await this.disk.freeBytes(slotsIn(this.options.home));
    if (free < bytes + spareBytes)
      throw new DomainError("unavailable", `not enough room for the update: ${bytes} bytes are needed`);
  }
}
