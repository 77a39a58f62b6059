import type { IncomingMessage } from "node:http";
import { DomainError } from "../machines/errors.ts";

const safe = new Set(["GET", "HEAD", "OPTIONS"]);

/** A browser says where a page came from; only our own pages may change something or listen. Other clients say nothing. */
export function isOwnOrigin({ headers }: IncomingMessage, allowed: readonly string[] = []): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (allowed.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** Refuses what a foreign page would change. */
export function checkOrigin({ request }: { request: IncomingMessage }): void {
  if (request.headers.origin === undefined || safe.has(request.method ?? "")) return;
  if (!isOwnOrigin(request)) throw new DomainError("forbidden", "Origin: another page may not change this");
}
