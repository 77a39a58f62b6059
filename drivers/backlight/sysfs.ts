import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DomainError } from "../../machines/errors.ts";
import type { Backlight } from "./backlight.ts";

/** The first panel of the kernel's backlight class; a device without one has nothing to set. */
export class SysfsBacklight implements Backlight {
  readonly name = "sysfs";
  private readonly root: string;

  constructor(sys = "/sys") {
    this.root = join(sys, "class/backlight");
  }

  async set(brightness: number): Promise<void> {
    const [panel] = (await readdir(this.root).catch((): string[] => [])).toSorted();
    if (panel === undefined) return;
    try {
      const steps = Number((await readFile(join(this.root, panel, "max_brightness"), "utf8")).trim());
      // Only 0 is dark: the lowest setting of a coarse panel stays visible.
      const step = brightness === 0 ? 0 : Math.max(1, Math.round((brightness / 255) * steps));
      await writeFile(join(this.root, panel, "brightness"), String(step));
    } catch (cause) {
      throw new DomainError("unavailable", "the brightness could not be set", { cause });
    }
  }
}
