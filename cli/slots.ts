import { join } from "node:path";
import type { Config } from "../config.ts";
import { bootSlot, declareHealthy, runningSlot } from "../drivers/ota/boot.ts";

/** A run that ends with this wants to be started again from whichever slot is chosen by then. */
const rebootCode = 75;

const release = join(import.meta.dirname, "..");

type Run = (reboot: { wanted: boolean }) => Promise<number>;

/**
 * On a device the installed release only starts the chosen slot and watches over it; it runs itself when there is
 * none. Elsewhere nothing ever runs from a slot.
 */
export async function fromSlot(config: Config, args: readonly string[], run: Run): Promise<number> {
  const { home } = config.appliance;
  const isSlot = config.device && runningSlot(home, release) !== null;
  for (;;) {
    const slotCode = config.device && !isSlot ? await bootSlot({ home, args, notice: console.log }) : null;
    const code = slotCode ?? (await runOnce(run));
    if (code !== rebootCode || isSlot) return code;
  }
}

async function runOnce(run: Run): Promise<number> {
  const reboot = { wanted: false };
  const code = await run(reboot);
  return code === 0 && reboot.wanted ? rebootCode : code;
}

/** A release that serves is a good one. */
export async function reportHealth(config: Config): Promise<void> {
  if (config.device) await declareHealthy(config.appliance.home);
}
