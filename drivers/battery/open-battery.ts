import { type BatteryDriver, MemoryBattery } from "./battery.ts";

/** The real part only on a device. */
export async function chooseBattery(device: boolean): Promise<BatteryDriver> {
  return device ? new (await import("./sysfs.ts")).SysfsBattery() : new MemoryBattery();
}
