import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** The device's token: 32 random bytes in hex, in a file that only its owner can read. */
export interface TokenFile {
  token: string;
  /** Nobody was shown it yet; a start that was cut short leaves it to the next one. */
  unseen: boolean;
}

export function readOrMakeToken(file: string): TokenFile {
  try {
    const token = readFileSync(file, "utf8").trim();
    if (/^[0-9a-f]{64}$/.test(token)) return { token, unseen: existsSync(unseenMark(file)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return { token: makeToken(file), unseen: true };
}

/** Replaces the token. On disk before it returns: a token that was shown once must survive the next power cut. */
export function makeToken(file: string): string {
  const token = randomBytes(32).toString("hex");
  writeSecret(unseenMark(file), "");
  writeSecret(file, `${token}\n`);
  return token;
}

const unseenMark = (file: string) => `${file}.unseen`;

/** The person at the console has it now. */
export function tokenWasShown(file: string): void {
  rmSync(unseenMark(file), { force: true });
}

/** Writes a file of mode 0600 whole or not at all. */
export function writeSecret(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.part`;
  const fd = openSync(part, "w", 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, file);
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}
