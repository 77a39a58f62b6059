import { type Backlight, MemoryBacklight } from "./backlight.ts";

/** The real part only on a device. */
export async function chooseBacklight(device: boolean): Promise<Backlight> {
  return device ? new (await import("./sysfs.ts")).SysfsBacklight() : new MemoryBacklight();
}
