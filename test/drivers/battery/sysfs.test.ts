import { expect, it, onTestFinished } from "vitest";
import { chooseBattery } from "../../../drivers/battery/open-battery.ts";
import { SysfsBattery } from "../../../drivers/battery/sysfs.ts";
import { fakeSysfs } from "../fake-sysfs.ts";

const none = { present: false, voltage: 0, percentage: 0, charging: false };

async function read(files: Record<string, string>) {
  const sys = await fakeSysfs(files);
  onTestFinished(sys.remove);
  return new SysfsBattery(sys.root).read();
}

const at = (name: string, fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([k, v]) => [`class/power_supply/${name}/${k}`, `${v}\n`]));

it("the battery of the system is found among chargers and the batteries of other things", async () => {
  const reading = await read({
    ...at("AC", { type: "Mains" }),
    ...at("hid-mouse", { type: "Battery", scope: "Device", capacity: "5" }),
    ...at("axp20x", {
      type: "Battery",
      present: "1",
      capacity: "83",
      voltage_now: "3987000",
      status: "Charging",
    }),
  });
  expect(reading).toEqual({ present: true, voltage: 3.987, percentage: 83, charging: true });
});

it("a full battery does not charge", async () => {
  const fields = { type: "Battery", capacity: "100", voltage_now: "4200000", status: "Full" };
  expect(await read(at("bat", fields))).toMatchObject({ present: true, charging: false });
});

it("an empty bay, a machine without the class and rubbish in the files read as they are", async () => {
  expect(await read(at("bat", { type: "Battery", present: "0", capacity: "7" }))).toEqual(none);
  expect(await read({})).toEqual(none);
  const odd = { type: "Battery", capacity: "900", voltage_now: "??", status: "Unknown" };
  expect(await read(at("bat", odd))).toEqual({ present: true, voltage: 0, percentage: 100, charging: false });
});

it("the real one is chosen only on a device", async () => {
  expect((await chooseBattery(false)).name).toBe("memory");
  expect((await chooseBattery(true)).name).toBe("sysfs");
});
