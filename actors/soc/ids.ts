import { randomBytes } from "node:crypto";

/** A new id that sorts by the time at which it was made. */
export function newId(kind: string, now: number): string {
  return `${kind}-${now.toString(16).padStart(12, "0")}${randomBytes(10).toString("hex")}`;
}
