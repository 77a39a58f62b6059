import { basename, dirname } from "node:path";
import type { Disk, DiskEntry, DiskFile } from "../../../drivers/ota/disk.ts";

export class PowerCut extends Error {}

interface FileNode {
  kind: "file";
  executable: boolean;
  live: Buffer;
  /** What the medium holds for sure. */
  durable: Buffer;
}

interface DirectoryNode {
  kind: "directory";
  live: Map<string, Node>;
  durable: Map<string, Node>;
}

type Node = FileNode | DirectoryNode;

/** What becomes of that which was written but never synced. */
export type Survival = "lost" | "kept" | "torn";

const directory = (): DirectoryNode => ({ kind: "directory", live: new Map(), durable: new Map() });

/** A disk in memory that forgets what was not synced when its power is cut at a given call. */
export class CrashDisk implements Disk {
  /** Calls that change something, counted. */
  calls = 0;
  cutAt = Number.POSITIVE_INFINITY;
  readonly readBytes = 512;
  private root = directory();

  async create(path: string, { executable = false } = {}): Promise<DiskFile> {
    const parent = this.at(dirname(path)) as DirectoryNode;
    if (parent.live.has(basename(path))) throw Object.assign(new Error("exists"), { code: "EEXIST" });
    this.step();
    const file: FileNode = { kind: "file", executable, live: Buffer.alloc(0), durable: Buffer.alloc(0) };
    parent.live.set(basename(path), file);
    return {
      write: async (bytes) => {
        this.step(() => {
          file.live = Buffer.concat([file.live, bytes.subarray(0, bytes.length >> 1)]);
        });
        file.live = Buffer.concat([file.live, bytes]);
      },
      sync: async () => {
        this.step();
        file.durable = file.live;
      },
      close: async () => {},
    };
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    const file = this.find(path);
    if (file?.kind !== "file") throw Object.assign(new Error("missing"), { code: "ENOENT" });
    for (let at = 0; at < file.live.length; at += this.readBytes)
      yield file.live.subarray(at, at + this.readBytes);
  }

  async readText(path: string): Promise<string | null> {
    const file = this.find(path);
    return file?.kind === "file" ? file.live.toString() : null;
  }

  async list(path: string): Promise<DiskEntry[] | null> {
    const found = this.find(path);
    if (found?.kind !== "directory") return null;
    return [...found.live].map(([name, node]) =>
      node.kind === "file"
        ? { name, kind: "file", size: node.live.length, executable: node.executable }
        : { name, kind: "directory", size: 0, executable: false },
    );
  }

  async makeDirectory(path: string): Promise<void> {
    this.step();
    let node = this.root;
    for (const part of path.split("/").filter(Boolean)) {
      if (!node.live.has(part)) node.live.set(part, directory());
      node = node.live.get(part) as DirectoryNode;
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.step();
    const source = this.at(dirname(from)) as DirectoryNode;
    const node = source.live.get(basename(from))!;
    source.live.delete(basename(from));
    (this.at(dirname(to)) as DirectoryNode).live.set(basename(to), node);
  }

  async remove(path: string): Promise<void> {
    this.step();
    const parent = this.find(dirname(path));
    if (parent?.kind === "directory") parent.live.delete(basename(path));
  }

  async syncDirectory(path: string): Promise<void> {
    this.step();
    const node = this.at(path) as DirectoryNode;
    node.durable = new Map(node.live);
  }

  async freeBytes(): Promise<number> {
    return 2 ** 40;
  }

  /** Everything is on the medium. */
  settle(): void {
    this.root = revive(this.root, "kept", Math.random) as DirectoryNode;
  }

  /** The disk as the next start finds it. */
  afterCut(survival: Survival, random: () => number): CrashDisk {
    const next = new CrashDisk();
    next.root = revive(this.root, survival, random) as DirectoryNode;
    return next;
  }

  private step(half?: () => void): void {
    this.calls++;
    if (this.calls < this.cutAt) return;
    if (this.calls === this.cutAt) half?.();
    throw new PowerCut("the power was cut");
  }

  private find(path: string): Node | undefined {
    let node: Node | undefined = this.root;
    for (const part of path.split("/").filter(Boolean))
      node = node?.kind === "directory" ? node.live.get(part) : undefined;
    return node;
  }

  private at(path: string): Node {
    const node = this.find(path);
    if (!node) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
    return node;
  }
}

function revive(node: Node, survival: Survival, random: () => number): Node {
  if (node.kind === "file") {
    const kept = survival === "kept" || (survival === "torn" && node.live.equals(node.durable));
    const torn = () => node.live.subarray(0, Math.floor(random() * (node.live.length + 1)));
    const content = Buffer.from(kept ? node.live : survival === "lost" ? node.durable : torn());
    return { ...node, live: content, durable: content };
  }
  const names = new Set([...node.live.keys(), ...node.durable.keys()]);
  const entries = new Map<string, Node>();
  for (const name of names) {
    const asLive = survival === "kept" || (survival === "torn" && random() < 0.5);
    const child = (asLive ? node.live : node.durable).get(name);
    if (child) entries.set(name, revive(child, survival, random));
  }
  return { kind: "directory", live: entries, durable: new Map(entries) };
}
