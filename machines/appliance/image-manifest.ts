import { DomainError, type Refusal } from "../errors.ts";

/** What the signature of an image covers; the payload is bound to it by its size and hash. */
export interface ImageManifest {
  format: 1;
  version: string;
  board: string;
  /** Bytes of the payload. */
  size: number;
  /** Of the payload, lower-case hex. */
  sha256: string;
}

/** What an image is measured against. */
export interface ImageTarget {
  board: string;
  /** The newest version that this device runs or has installed. */
  version: string;
  slotBytes: number;
}

const versionShape = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const fields = ["board", "format", "sha256", "size", "version"];

/** Every refusal of an image names the request's one field. */
export function badImage(message: string, cause?: unknown): DomainError {
  return new DomainError("invalid_input", `image: ${message}`, { field: "image", cause });
}

export function parseManifest(text: string): ImageManifest {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badImage("its manifest is not JSON", cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badImage("its manifest is not an object");
  const odd = Object.keys(value).find((name) => !fields.includes(name));
  if (odd !== undefined) throw badImage("its manifest has a field that this version does not know");
  const { format, version, board, size, sha256 } = value;
  if (format !== 1) throw badImage("its format is not known here");
  if (typeof version !== "string" || !versionShape.test(version)) throw badImage("its version is malformed");
  if (typeof board !== "string" || !/^[a-z0-9][a-z0-9._-]{0,63}$/.test(board))
    throw badImage("its board is malformed");
  if (!Number.isSafeInteger(size) || (size as number) <= 0) throw badImage("its size is malformed");
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) throw badImage("its hash is malformed");
  return { format, version, board, size: size as number, sha256 };
}

/** Why a well-signed image is still not for this device, or nothing. */
export function refusalOfImage(manifest: ImageManifest, target: ImageTarget): Refusal | null {
  const refuse = (message: string): Refusal => ({
    code: "invalid_input",
    message: `image: ${message}`,
    field: "image",
  });
  if (manifest.board !== target.board) return refuse(`it is for another board (${manifest.board})`);
  if (compareVersions(manifest.version, target.version) < 0)
    return refuse(`version ${manifest.version} is older than ${target.version}`);
  if (manifest.size > target.slotBytes)
    return refuse(`${manifest.size} bytes do not fit into a slot of ${target.slotBytes}`);
  return null;
}

/** Precedence as in semver: below 0 when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionShape.exec(a), versionShape.exec(b)];
  if (!left || !right) throw badImage("its version is malformed");
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference;
  }
  return comparePrerelease(left[4], right[4]);
}

function comparePrerelease(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === y) continue;
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    const [m, n] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (m && n) return Number(x) - Number(y);
    if (m !== n) return m ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}
