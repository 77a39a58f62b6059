import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { inOrder, pack } from "../../../drivers/ota/archive.ts";
import { containerHead } from "../../../drivers/ota/container.ts";
import type { ImageManifest } from "../../../machines/appliance/image-manifest.ts";

export const keys = generateKeyPairSync("ed25519");
export const board = "minaret-1";

export const release = (version: string): Record<string, string> => ({
  "main.ts": `// ${version}\n`.repeat(40),
  "package.json": JSON.stringify({ version }),
  "machines/deep/er.ts": version.repeat(3_000),
  "machines/empty.ts": "",
});

export async function archiveOf(files: Record<string, string>): Promise<Buffer> {
  const list = Object.entries(files).map(([path, text]) => ({
    path,
    size: Buffer.byteLength(text),
    executable: path === "main.ts",
  }));
  return gather(
    pack(inOrder(list), async function* (path) {
      if (files[path]) yield Buffer.from(files[path]);
    }),
  );
}

export async function gather(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A container around any payload, with whatever the manifest or the key is to be instead. */
export function imageOf(
  payload: Buffer,
  version: string,
  { manifest = {}, key = keys.privateKey }: { manifest?: Partial<ImageManifest>; key?: KeyObject } = {},
): Buffer {
  const sha256 = createHash("sha256").update(payload).digest("hex");
  const head = containerHead({ format: 1, version, board, size: payload.length, sha256, ...manifest }, key);
  return Buffer.concat([head, payload]);
}

export async function* inPieces(image: Buffer, bytes = 512): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < image.length; at += bytes) yield image.subarray(at, at + bytes);
}
