/** Who asks: a bearer token, a key of another service, or the session cookie of our own page. */
import type { IncomingMessage } from "node:http";
import type { Credential } from "../../actors/soc/identity.ts";
import { tokenSeconds } from "../../actors/soc/tokens.ts";
import { DomainError } from "../../machines/errors.ts";

const cookieName = "minaret_session";

/** A header counts before the cookie, and one that is no good is not made up for by another. */
export function credentialOf({ headers }: IncomingMessage): Credential | null {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return { via: "token", text: text ?? "" };
  }
  const key = headers["x-api-key"];
  if (key !== undefined) return { via: "key", text: String(key) };
  const session = new RegExp(`(?:^|;\\s*)${cookieName}=([^;\\s]*)`).exec(cookie ?? "")?.[1];
  return session ? { via: "cookie", text: session } : null;
}

export function sessionCookie(token: string, secure: boolean): Record<string, string> {
  return { "Set-Cookie": cookie(token, tokenSeconds, secure) };
}

export function noCookie(secure: boolean): Record<string, string> {
  return { "Set-Cookie": cookie("", 0, secure) };
}

function cookie(value: string, maxAge: number, secure: boolean): string {
  const parts = [`${cookieName}=${value}`, "Path=/", `Max-Age=${maxAge}`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(secure ? ["Secure"] : [])].join("; ");
}

export const unauthorized = () =>
  new DomainError("unauthorized", "the token or key is missing, expired or not valid");
