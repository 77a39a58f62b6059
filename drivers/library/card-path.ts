import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { DomainError } from "../../machines/errors.ts";

/** A file that really lies on the card. */
export interface CardFile {
  /** Relative to the card, as its file system spells it. */
  path: string;
  absolute: string;
}

const maxPath = 1_024;

/**
 * Where a path of the API leads. What is malformed or leaves the card, also through a link, is `invalid_input`;
 * what is not there is `not_found`.
 */
export async function resolveOnCard(card: string, path: string, field = "path"): Promise<CardFile> {
  const refuse = (message: string): never => {
    throw new DomainError("invalid_input", `${field} ${message}`, { field });
  };
  const missing = (): never => {
    throw new DomainError("not_found", `${field} is not a file on the card`, { field });
  };
  if (path.length > maxPath) refuse(`is longer than ${maxPath} characters`);
  if (/\p{Cc}/u.test(path) || !path.isWellFormed()) refuse("holds control characters");
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0) refuse("is empty");
  if (segments.includes("..")) refuse("must stay inside the card");
  if (segments.some((segment) => Buffer.byteLength(segment) > 255)) refuse("holds a name that is too long");
  const root = await realpath(card).catch(missing);
  // The same name may be spelt composed or decomposed, on the card and in the request.
  const spellings = new Set([
    segments.join("/"),
    segments.join("/").normalize("NFC"),
    segments.join("/").normalize("NFD"),
  ]);
  for (const spelling of spellings) {
    const absolute = await realpath(join(root, spelling)).catch(() => null);
    if (absolute === null) continue;
    if (!absolute.startsWith(`${root}${sep}`)) refuse("must stay inside the card");
    const stats = await stat(absolute).catch(missing);
    return stats.isFile() ? { path: spelling, absolute } : missing();
  }
  return missing();
}
