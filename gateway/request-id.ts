import { randomBytes } from "node:crypto";

const prefix = randomBytes(6).toString("base64url");
const usable = /^[\w.:-]{1,64}$/;
let count = 0;

/** The caller's own id where it is a harmless one, else a new one: a random prefix per process and a counter. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === "string" && usable.test(given)) return given;
  return `${prefix}-${(++count).toString(36)}`;
}
