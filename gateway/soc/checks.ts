/** What stands before every handler, in the order in which the platform's document wants it. */
import type { Identity } from "../../actors/soc/identity.ts";
import { DomainError } from "../../machines/errors.ts";
import { type Mode, outcomeOf } from "../../machines/soc/modes.ts";
import type { Permission } from "../../machines/soc/roles.ts";
import { limitersOf, refuseExceeded } from "../limits.ts";
import { isOwnOrigin } from "../origin.ts";
import type { Check } from "../service.ts";
import type { SocActors } from "./actors.ts";
import { credentialOf, unauthorized } from "./authentication.ts";
import { type SocCaller, type SocPolicy, socRates } from "./policy.ts";

type SocCheck = Check<SocActors, SocCaller, SocPolicy>;

export function checkIdentity(identity: Identity): SocCheck {
  return async (exchange, { policy }) => {
    if (policy.permission === "public") return;
    const credential = credentialOf(exchange.request);
    try {
      if (!credential) throw unauthorized();
      exchange.caller = await identity.admit(credential);
    } catch (error) {
      exchange.addHeader("WWW-Authenticate", "Bearer");
      throw error;
    }
  };
}

/** Per caller: the user or the key, and the address of whoever is neither. */
export function checkLimit(now: (() => number) | undefined): SocCheck {
  const limiters = limitersOf(socRates, now);
  return (exchange, { policy }) => {
    const { caller, address } = exchange;
    const client = caller.via === "none" ? `address ${address}` : caller.name;
    const { limit, windowMs } = socRates[policy.rate];
    exchange.addHeader("RateLimit-Policy", `${limit};w=${windowMs / 1_000}`);
    exchange.addHeader("RateLimit-Limit", String(limit));
    const standing = limiters[policy.rate].count(client);
    exchange.addHeader("RateLimit-Remaining", String(standing.remaining));
    exchange.addHeader("RateLimit-Reset", String(standing.resetSeconds));
    refuseExceeded(standing, exchange);
  };
}

/** A browser adds the cookie by itself, also to what a foreign page sends; a token is added by whoever holds it. */
export const checkOrigin: SocCheck = ({ request, caller }) => {
  if (caller.via === "token" || caller.via === "key" || request.method === "GET" || request.method === "HEAD")
    return;
  const site = request.headers["sec-fetch-site"];
  const foreign = site !== undefined && site !== "same-origin" && site !== "none";
  if (foreign || !isOwnOrigin(request))
    throw new DomainError("forbidden", "Origin: another page may not change this");
};

export const checkPermission: SocCheck = ({ caller }, { policy }) => {
  const { permission, keys = true } = policy;
  if (permission === "public") return;
  if (caller.via === "key" && !keys)
    throw new DomainError("forbidden", "keys of services are not taken here; log in as a person");
  if (permission === "authenticated") return;
  if (permission === "admin") {
    if (caller.role !== "admin") throw new DomainError("forbidden", "this needs the role admin");
    return;
  }
  const wanted: readonly Permission[] = typeof permission === "string" ? [permission] : permission;
  const missing = wanted.filter((name) => !caller.permissions.has(name));
  if (missing.length > 0) throw new DomainError("forbidden", `this needs ${missing.join(" and ")}`);
};

export function checkMode(mode: Mode): SocCheck {
  return (_, { policy }) => {
    if (outcomeOf(policy.effect, mode) === "blocked")
      throw new DomainError("mode_blocked", `${mode} mode changes nothing`);
  };
}
