import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MemoryPower } from "../../../drivers/power/memory.ts";
import { choosePower } from "../../../drivers/power/open-power.ts";
import { SystemPower } from "../../../drivers/power/system.ts";
import { fakeSysfs } from "../fake-sysfs.ts";

const rtc = "class/rtc/rtc0/wakealarm";

async function machine(files: Record<string, string>) {
  const sys = await fakeSysfs(files);
  onTestFinished(sys.remove);
  const ran: (readonly string[])[] = [];
  const run = async (program: string, args: readonly string[]) => ran.push([program, ...args]);
  const text = (path: string) => readFile(join(sys.root, path), "utf8");
  return { power: new SystemPower({ sys: sys.root, run }), text, ran, root: sys.root };
}

describe("the system's own sleep", () => {
  it("sets the alarm in seconds from now, suspends to memory and knows that the alarm woke it", async () => {
    const { power, text, root } = await machine({ [rtc]: "", "power/kind": "" });
    // Whoever writes to a pipe waits for a reader, as whoever writes to the kernel's file waits for the morning.
    execFileSync("mkfifo", [join(root, "power/state")]);
    await power.open();
    const woke = power.sleep(3_600_500);
    await vi.waitFor(async () => expect(await text(rtc)).toBe("+3600"));
    await writeFile(join(root, rtc), "");
    expect(await text("power/state")).toBe("mem");
    expect(await woke).toBe("due");
  });

  it("leaves no alarm behind when the button woke it", async () => {
    const { power, text } = await machine({ "power/state": "", [rtc]: "" });
    expect(await power.sleep(60_000)).toBe("button");
    expect(await text(rtc)).toBe("0");
  });

  it("sleeps without an alarm where there is no real-time clock", async () => {
    const { power, text } = await machine({ "power/state": "" });
    expect(await power.sleep(null)).toBe("button");
    expect(await text("power/state")).toBe("mem");
  });

  it("is unavailable on a machine that cannot suspend", async () => {
    const { power } = await machine({});
    await expect(power.open()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("reboots through systemd", async () => {
    const { power, ran } = await machine({});
    await power.reboot();
    expect(ran).toEqual([["systemctl", "reboot"]]);
  });
});

describe("the stand-in's sleep", () => {
  it("ends when the time has come", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const power = new MemoryPower();
    const woke = power.sleep(90_000);
    await vi.advanceTimersByTimeAsync(89_999);
    expect(power.sleeping).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(await woke).toBe("due");
  });

  it("ends at a touch, and at its close", async () => {
    const power = new MemoryPower();
    const first = power.sleep(null);
    power.wake();
    expect(await first).toBe("touch");
    const second = power.sleep(null);
    await power.close();
    await power.close();
    expect(await second).toBe("button");
    expect(power.sleeping).toBe(false);
  });

  it("is the one chosen unless this is a device, whatever was asked for", async () => {
    expect((await choosePower("system", false)).name).toBe("memory");
    expect((await choosePower("auto", true)).name).toBe("system");
    expect((await choosePower("memory", true)).name).toBe("memory");
  });
});
