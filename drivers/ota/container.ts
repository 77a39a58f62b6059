/** The signed container: magic, manifest length, canonical manifest, Ed25519 signature, payload, and nothing more. */
import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { badImage, type ImageManifest, parseManifest } from "../../machines/appliance/image-manifest.ts";
import type { ByteReader } from "./byte-reader.ts";

const magic = Buffer.from("MINARET\u0001");
const signatureBytes = 64;
const maxManifest = 4_096;

/** What is signed begins with its purpose, so that the signature is worth nothing anywhere else. */
function signedPart(manifest: Buffer): Buffer {
  return Buffer.concat([Buffer.from("minaret firmware image\n"), manifest]);
}

/** Everything of a container that comes before its payload. */
export function containerHead(manifest: ImageManifest, key: KeyObject): Buffer {
  const text = Buffer.from(canonicalize(manifest) ?? "");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([magic, length, text, sign(null, signedPart(text), key)]);
}

/** Reads the head and believes it only if one of the keys signed it. */
export async function readHead(reader: ByteReader, keys: readonly KeyObject[]): Promise<ImageManifest> {
  const start = await reader.exactly(magic.length + 2);
  if (!start) throw badImage("it is truncated");
  if (!start.subarray(0, magic.length).equals(magic)) throw badImage("it is not a firmware image");
  const length = start.readUInt16BE(magic.length);
  if (length === 0 || length > maxManifest) throw badImage("its manifest has an impossible length");
  const text = await reader.exactly(length);
  const signature = text && (await reader.exactly(signatureBytes));
  if (!text || !signature) throw badImage("it is truncated");
  if (!keys.some((key) => verify(null, signedPart(text), key, signature)))
    throw badImage("its signature is not one that this device trusts");
  const manifest = parseManifest(text.toString("utf8"));
  if (!text.equals(Buffer.from(canonicalize(manifest) ?? "")))
    throw badImage("its manifest is not canonical");
  return manifest;
}

/** The public keys that images are believed by: one PEM file, or every `.pem` of a directory. */
export async function trustedKeys(path: string): Promise<KeyObject[]> {
  const names = await readdir(path).catch(() => null);
  const files = names
    ? names.filter((name) => name.endsWith(".pem")).map((name) => join(path, name))
    : [path];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => null)));
  const keys = texts.filter((text) => text !== null).map((text) => createPublicKey(text));
  return keys.filter((key) => key.asymmetricKeyType === "ed25519");
}
