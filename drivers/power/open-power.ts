import type { PowerDriver } from "./power.ts";

/** The real part only on a device; elsewhere nothing on the host is ever slept. */
export async function choosePower(
  wanted: "auto" | "system" | "memory",
  device: boolean,
): Promise<PowerDriver> {
  if (device && wanted !== "memory") return new (await import("./system.ts")).SystemPower();
  return new (await import("./memory.ts")).MemoryPower();
}
