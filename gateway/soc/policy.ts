/** The platform's own columns of the route table. */
import type { Principal } from "../../actors/soc/identity.ts";
import type { RouteEffect } from "../../machines/soc/modes.ts";
import type { Permission } from "../../machines/soc/roles.ts";
import { routeBuilder } from "../route.ts";
import type { SocActors } from "./actors.ts";

/** Requests per window and caller; refused ones count too. */
export const socRates = {
  general: { limit: 100, windowMs: 60_000 },
  execute: { limit: 5, windowMs: 60_000 },
  investigate: { limit: 10, windowMs: 60_000 },
  chat: { limit: 20, windowMs: 60_000 },
  tools: { limit: 60, windowMs: 60_000 },
  login: { limit: 100, windowMs: 60_000 },
  health: { limit: 600, windowMs: 60_000 },
} as const;

export interface SocPolicy {
  /** All that are named are needed; `admin` is the role itself. */
  permission: Permission | readonly Permission[] | "public" | "authenticated" | "admin";
  rate: keyof typeof socRates;
  /** What the modes make of it. */
  effect: RouteEffect;
  /** Keys of other services get in here, as far as their permissions go; true when left out. */
  keys?: boolean;
  /** A password is checked here: wrong ones are counted, per user and per address. */
  password?: boolean;
  /** A read that the showcase cannot stand in for; true when left out. */
  showcase?: boolean;
}

/** Who asks. Before authentication nobody, with no permission at all. */
export type SocCaller = Principal;

export const nobody: SocCaller = { name: "anonymous", role: null, permissions: new Set(), via: "none" };

/** One row of the platform's table. */
export const socRoute = routeBuilder<SocActors, SocCaller, SocPolicy>();
