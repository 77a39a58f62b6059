import { join } from "node:path";
import type { Config } from "../config.ts";

export type ServiceName = "appliance" | "soc";

/** The embedded database of a service, inside its home. */
export const storeFile = "store.db";

/** Never part of a backup: the card is the owner's own, and slots are filled by updates. */
export const leftOut: ReadonlySet<string> = new Set(["card", "slots", "run"]);

export function homeOf(config: Config, service: ServiceName): string {
  return config[service].home;
}

export const restorePlaces = (config: Config) => ({
  pending: join(config.home, "restore.pending"),
  complete: join(config.home, "restore.pending", "complete"),
  before: join(config.home, "before-restore"),
});
