import type { ClockDriver } from "./clock.ts";

/** The real part only on a device; elsewhere the host's clock is never set. */
export async function chooseClock(
  wanted: "auto" | "system" | "memory",
  device: boolean,
): Promise<ClockDriver> {
  if (device && wanted !== "memory") return new (await import("./system.ts")).SystemClock();
  return new (await import("./memory.ts")).MemoryClock();
}
