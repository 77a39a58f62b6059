import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BatteryDriver } from "./battery.ts";

/** The first battery that powers the system, by the kernel's power-supply class. */
export class SysfsBattery implements BatteryDriver {
  readonly name = "sysfs";
  private readonly root: string;

  constructor(sys = "/sys") {
    this.root = join(sys, "class/power_supply");
  }

  async read() {
    const names = (await readdir(this.root).catch((): string[] => [])).toSorted();
    for (const name of names) {
      const field = (file: string) =>
        readFile(join(this.root, name, file), "utf8").then(
          (text) => text.trim(),
          () => null,
        );
      // A wireless mouse has a battery too; its scope is "Device".
      if ((await field("type")) !== "Battery" || (await field("scope")) === "Device") continue;
      if ((await field("present")) === "0") continue;
      const [capacity, microvolts, status] = await Promise.all([
        field("capacity"),
        field("voltage_now"),
        field("status"),
      ]);
      return {
        present: true,
        voltage: Math.round(number(microvolts) / 1_000) / 1_000,
        percentage: Math.min(100, Math.max(0, Math.round(number(capacity)))),
        charging: status === "Charging",
      };
    }
    return { present: false, voltage: 0, percentage: 0, charging: false };
  }
}

function number(text: string | null): number {
  const value = Number(text ?? 0);
  return Number.isFinite(value) ? value : 0;
}
