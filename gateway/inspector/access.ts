import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DomainError } from "../../machines/errors.ts";

/** A key as long as nobody guesses, short enough to be pasted. */
export function newInspectorKey(): string {
  return randomBytes(24).toString("base64url");
}

/** Throws why a request may not see the inside of the process; also for the page beside the feed. */
export function admit(request: IncomingMessage, key: string): void {
  if (!isLoopback(request.socket.remoteAddress)) throw new DomainError("forbidden", "from this machine only");
  // A page elsewhere may resolve its own name to this machine: the name must be one of ours.
  const host = request.headers.host ?? "";
  if (!isOwnName(host)) throw new DomainError("forbidden", "not under this name");
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new DomainError("forbidden", "not from another origin");
  }
  if (!same(keyOf(request), key)) throw new DomainError("unauthorized", "the access key is wrong");
}

function isLoopback(address: string | undefined): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address ?? "");
}

function isOwnName(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host);
}

function keyOf(request: IncomingMessage): string {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return bearer ?? queryOf(request).get("key") ?? "";
}

/** The length must not show either, so digests are compared. */
function same(given: string, key: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}

export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? "";
  const cut = url.indexOf("?");
  return new URLSearchParams(cut < 0 ? "" : url.slice(cut + 1));
}
