import { routeBuilder } from "../route.ts";
import type { ApplianceActors } from "./actors.ts";

/** Requests per window and client; refused ones count too. */
export const rateClasses = {
  default: { limit: 60, windowMs: 10_000 },
  status: { limit: 200, windowMs: 10_000 },
  playback: { limit: 20, windowMs: 10_000 },
  ota_upload: { limit: 2, windowMs: 60_000 },
  ota_pull: { limit: 2, windowMs: 60_000 },
  screenshot: { limit: 10, windowMs: 10_000 },
} as const;

/** What the state stream names; a row's `emits` is one of them. */
export type ApplianceResource =
  | "playback"
  | "library"
  | "favorites"
  | "stations"
  | "cards"
  | "nfc"
  | "prayer"
  | "schedules"
  | "settings"
  | "ota"
  | "battery"
  | "system";

/** The appliance's own columns of the table. */
export interface AppliancePolicy {
  auth: "public" | "token";
  rate: keyof typeof rateClasses;
  /** The resource whose event follows a successful call, with the request's id as its cause. */
  emits?: ApplianceResource;
}

/** The appliance knows no users: a caller is who holds the token, or nobody in particular. */
export type ApplianceCaller = "device" | "anyone";

/** One row of the appliance's table. */
export const applianceRoute = routeBuilder<ApplianceActors, ApplianceCaller, AppliancePolicy>();
