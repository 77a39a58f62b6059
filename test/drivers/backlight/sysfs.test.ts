import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { chooseBacklight } from "../../../drivers/backlight/open-backlight.ts";
import { SysfsBacklight } from "../../../drivers/backlight/sysfs.ts";
import { fakeSysfs } from "../fake-sysfs.ts";

const panel = "class/backlight/rpi_backlight";

it.each([
  [255, 31, "31"],
  [128, 31, "16"],
  [1, 31, "1"],
  [0, 31, "0"],
  [200, 255, "200"],
  [255, 4095, "4095"],
])("a brightness of %i on a panel of %i steps is step %s", async (brightness, steps, step) => {
  const sys = await fakeSysfs({ [`${panel}/max_brightness`]: `${steps}\n`, [`${panel}/brightness`]: "0\n" });
  onTestFinished(sys.remove);
  await new SysfsBacklight(sys.root).set(brightness);
  expect(await readFile(join(sys.root, panel, "brightness"), "utf8")).toBe(step);
});

it("a device without a panel has nothing to set", async () => {
  const sys = await fakeSysfs({});
  onTestFinished(sys.remove);
  await expect(new SysfsBacklight(sys.root).set(3)).resolves.toBeUndefined();
});

it("a panel that cannot be set is unavailable", async () => {
  const sys = await fakeSysfs({ [`${panel}/brightness`]: "0" });
  onTestFinished(sys.remove);
  await expect(new SysfsBacklight(sys.root).set(3)).rejects.toMatchObject({ code: "unavailable" });
});

it("the real one is chosen only on a device", async () => {
  expect((await chooseBacklight(false)).name).toBe("memory");
  expect((await chooseBacklight(true)).name).toBe("sysfs");
});
