/** Makes and signs an image of a release; what `minaret image` does. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badImage, type ImageManifest, parseManifest } from "../../machines/appliance/image-manifest.ts";
import { type ArchiveFile, pack } from "./archive.ts";
import { containerHead } from "./container.ts";

export interface ImageOptions {
  /** Where the release lies. */
  root: string;
  /** Files and directories of it; directories with all that is in them, links left out. */
  include: readonly string[];
  /** Paths that are not packed, and what is under them. */
  exclude?: readonly string[];
  version: string;
  board: string;
  /** The PEM file of an Ed25519 private key. */
  keyFile: string;
  out: string;
}

export const releaseParts = [
  "main.ts",
  "config.ts",
  "package.json",
  "cli",
  "machines",
  "actors",
  "drivers",
  "gateway",
];

/** A new pair for signing images: the private half readable by its owner alone, the public half for devices. */
export async function makeKey(privateFile: string, publicFile: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const text = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(privateFile, text, { mode: 0o600, flag: "wx" });
  await writeFile(publicFile, publicKey.export({ type: "spki", format: "pem" }), { mode: 0o644 });
}

/** Packs, signs and writes; `out` is there whole or not at all. */
export async function makeImage(options: ImageOptions): Promise<ImageManifest> {
  const { root, version, board, keyFile, out } = options;
  const key = await signingKey(keyFile);
  const files = await filesOf(options);
  if (files.length === 0) throw badImage("there is nothing to pack");
  const archive = () => pack(files, (path) => createReadStream(join(root, path)));
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of archive()) {
    hash.update(piece);
    size += piece.length;
  }
  const manifest = parseManifest(
    JSON.stringify({ format: 1, version, board, size, sha256: hash.digest("hex") }),
  );
  const draft = `${out}.new`;
  try {
    await pipeline(
      Readable.from(container(containerHead(manifest, key), archive())),
      createWriteStream(draft),
    );
    await rename(draft, out);
  } finally {
    await rm(draft, { force: true });
  }
  return manifest;
}

async function signingKey(file: string): Promise<KeyObject> {
  const text = await readFile(file, "utf8");
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {} // said below: OpenSSL's own words help nobody
  throw badImage(`the signing key ${file} is not an Ed25519 private key in PEM`);
}

async function* container(head: Uint8Array, payload: AsyncIterable<Uint8Array>) {
  yield head;
  yield* payload;
}

async function filesOf({ root, include, exclude = [] }: ImageOptions): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const left = new Set(exclude);
  const visit = async (path: string): Promise<void> => {
    if (left.has(path)) return;
    const found = await lstat(join(root, path));
    if (found.isDirectory()) {
      for (const name of await readdir(join(root, path))) await visit(join(path, name));
    } else if (found.isFile()) {
      files.push({ path, size: found.size, executable: (found.mode & 0o100) !== 0 });
    }
  };
  for (const path of include) await visit(path);
  return files;
}
