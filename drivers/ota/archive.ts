/**
 * The payload of an image: a ustar archive that any `tar` lists, of which exactly one spelling is taken.
 * Regular files only, in byte order, with nothing in a header that could vary; so a tree on disk
 * packs to the very bytes it was unpacked from, and its hash proves it.
 */
import { badImage } from "../../machines/appliance/image-manifest.ts";
import type { ByteReader } from "./byte-reader.ts";

const blockBytes = 512;
const endBytes = 2 * blockBytes;
const maxFiles = 200_000;

export interface ArchiveFile {
  path: string;
  size: number;
  executable: boolean;
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The one order that is taken. */
export function inOrder<T extends { path: string }>(files: readonly T[]): T[] {
  return files.toSorted((a, b) => byBytes(a.path, b.path));
}

/** Relative, normal, printable; nothing that could lead out of the slot. */
export function isSafePath(path: string): boolean {
  if (path === "" || /[\p{Cc}\\]/u.test(path) || !path.isWellFormed()) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** The header of one file, or null when its path does not fit. */
export function headerOf({ path, size, executable }: ArchiveFile): Buffer | null {
  const split = splitPath(path);
  if (!split) return null;
  const header = Buffer.alloc(blockBytes);
  const field = (text: string, at: number) => header.write(text, at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  field(split.name, 0);
  field(executable ? "0000755" : "0000644", 100);
  field("0000000", 108);
  field("0000000", 116);
  field(octal(size, 11), 124);
  field("00000000000", 136);
  field("        ", 148);
  field("0", 156);
  field("ustar\u000000", 257);
  field(split.prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  field(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function splitPath(path: string): { prefix: string; name: string } | null {
  if (Buffer.byteLength(path) <= 100) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= 100) return Buffer.byteLength(prefix) <= 155 ? { prefix, name } : null;
  }
  return null;
}

/** The archive of these files, piece by piece. */
export async function* pack(
  files: readonly ArchiveFile[],
  read: (path: string) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (const file of inOrder(files)) {
    const header = isSafePath(file.path) ? headerOf(file) : null;
    if (!header) throw badImage(`the path ${JSON.stringify(file.path)} cannot be packed`);
    yield header;
    let size = 0;
    for await (const piece of read(file.path)) {
      size += piece.length;
      yield piece;
    }
    if (size !== file.size) throw badImage(`${file.path} changed while it was read`);
    if (size % blockBytes > 0) yield Buffer.alloc(blockBytes - (size % blockBytes));
  }
  yield Buffer.alloc(endBytes);
}

/** Where the files of an archive go; `write` is called for each piece, `end` after the last. */
export interface Unpacking {
  begin(file: ArchiveFile): Promise<void>;
  write(piece: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Reads an archive strictly; anything that `pack` would not have written is refused. */
export async function unpack(reader: ByteReader, into: Unpacking): Promise<void> {
  const files = new Set<string>();
  for (let last = ""; ; ) {
    const header = await reader.exactly(blockBytes);
    if (!header) throw badImage("its archive is truncated");
    if (header.every((byte) => byte === 0)) break;
    const file = fileOf(header);
    if (last !== "" && byBytes(last, file.path) >= 0)
      throw badImage("its files are out of order, or one is there twice");
    if (hasFileAbove(files, file.path)) throw badImage("one of its files lies inside another");
    if (files.add(file.path).size > maxFiles) throw badImage(`it holds more than ${maxFiles} files`);
    last = file.path;
    await into.begin(file);
    await copy(reader, file.size, into);
    await into.end();
  }
  const end = await reader.exactly(endBytes - blockBytes);
  if (!end?.every((byte) => byte === 0)) throw badImage("its archive does not end as it has to");
  if (await reader.some(1)) throw badImage("bytes follow the end of its archive");
}

async function copy(reader: ByteReader, size: number, into: Unpacking): Promise<void> {
  for (let left = size; left > 0; ) {
    const piece = await reader.some(left);
    if (!piece) throw badImage("its archive is truncated");
    await into.write(piece);
    left -= piece.length;
  }
  const padding = (blockBytes - (size % blockBytes)) % blockBytes;
  const zeros = await reader.exactly(padding);
  if (!zeros) throw badImage("its archive is truncated");
  if (zeros.some((byte) => byte !== 0)) throw badImage("its archive hides bytes between files");
}

function fileOf(header: Buffer): ArchiveFile {
  if (header[156] !== 0x30) throw badImage("it holds something else than regular files");
  const prefix = textOf(header.subarray(345, 500));
  const name = textOf(header.subarray(0, 100));
  const path = prefix === "" ? name : `${prefix}/${name}`;
  if (!isSafePath(path)) throw badImage(`the path ${JSON.stringify(path.slice(0, 100))} is not taken`);
  const size = Number.parseInt(header.toString("latin1", 124, 135), 8);
  const file = { path, size, executable: header.toString("latin1", 100, 107) === "0000755" };
  if (!Number.isSafeInteger(size) || !headerOf(file)?.equals(header))
    throw badImage("its archive is not in the one form that is taken");
  return file;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(end < 0 ? field : field.subarray(0, end));
  } catch (cause) {
    throw badImage("a path in it is not UTF-8", cause);
  }
}

function hasFileAbove(files: ReadonlySet<string>, path: string): boolean {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    if (files.has(path.slice(0, at))) return true;
  }
  return false;
}
