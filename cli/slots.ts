import { join } from "node:path";
import type { Config } from "../config.ts";
import { bootSlot, declareHealthy, runningSlot } from "../drivers/ota/boot.ts";

const release = join(import.meta.dirname, "..");

/**
 * On a device the installed release starts the chosen slot and watches over it; null when it has to serve itself.
 * Elsewhere nothing ever runs from a slot.
 */
export async function runSlot(config: Config, args: readonly string[]): Promise<number | null> {
  const { home } = config.appliance;
  if (!config.device || runningSlot(home, release) !== null) return null;
  return bootSlot({ home, args, notice: console.log });
}

/** A release that serves is a good one. */
export async function reportHealth(config: Config): Promise<void> {
  if (config.device) await declareHealthy(config.appliance.home);
}
