import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClockEvent } from "../../../drivers/clock/clock.ts";
import { JumpWatch } from "../../../drivers/clock/jump-watch.ts";
import { MemoryClock } from "../../../drivers/clock/memory.ts";
import { chooseClock } from "../../../drivers/clock/open-clock.ts";
import { SystemClock } from "../../../drivers/clock/system.ts";

describe("jumps of the clock", () => {
  function watched() {
    const time = { wall: 1_000_000, mono: 50 };
    const jumps: number[] = [];
    const watch = new JumpWatch({
      wall: () => time.wall,
      monotonic: () => time.mono,
      jumped: (byMs) => jumps.push(byMs),
    });
    watch.start();
    watch.stop();
    const pass = (wall: number, mono: number) => {
      time.wall += wall;
      time.mono += mono;
      watch.look();
    };
    return { pass, jumps };
  }

  it("time that passes is no jump, however late it is looked at", () => {
    const { pass, jumps } = watched();
    pass(1_000, 1_000);
    pass(90_000, 90_000);
    expect(jumps).toEqual([]);
  });

  it("slewing is followed without a report, even when it adds up", () => {
    const { pass, jumps } = watched();
    for (let second = 0; second < 2_000; second++) pass(1_010, 1_000);
    expect(jumps).toEqual([]);
  });

  it("a step is reported once, in its direction", () => {
    const { pass, jumps } = watched();
    pass(3_601_000, 1_000);
    pass(1_000, 1_000);
    pass(-599_000, 1_000);
    expect(jumps).toEqual([3_600_000, -600_000]);
  });
});

describe("the stand-in clock", () => {
  it("takes the host's time for the network's, and sets only itself", async () => {
    let host = 1_700_000_000_000;
    const clock = new MemoryClock({ host: () => host, monotonic: () => host });
    const events: ClockEvent[] = [];
    clock.listen((event) => events.push(event));
    await clock.open();
    expect([clock.source, clock.now()]).toEqual(["sntp", host]);
    await clock.setTime(1_800_000_000);
    expect([clock.source, clock.now()]).toEqual(["manual", 1_800_000_000_000]);
    host += 5_000;
    expect(clock.now()).toBe(1_800_000_005_000);
    expect(events).toEqual([
      { type: "source", source: "manual" },
      { type: "jumped", byMs: 100_000_000_000 },
    ]);
    await clock.close();
    await clock.close();
  });

  it("serves wherever this is no device, whatever is asked for", async () => {
    for (const wanted of ["auto", "system", "memory"] as const)
      expect((await chooseClock(wanted, false)).name).toBe("memory");
    expect((await chooseClock("auto", true)).name).toBe("system");
    expect((await chooseClock("memory", true)).name).toBe("memory");
  });
});

describe("the machine's clock", () => {
  let sys: string;
  let calls: string[];
  let synced: string;

  beforeEach(() => {
    sys = mkdtempSync(join(tmpdir(), "minaret-clock-"));
    calls = [];
    synced = "no";
  });
  afterEach(() => rmSync(sys, { recursive: true }));

  const fitRtc = (epoch: number) => {
    mkdirSync(join(sys, "class/rtc/rtc0/device/hwmon/hwmon3"), { recursive: true });
    writeFileSync(join(sys, "class/rtc/rtc0/since_epoch"), `${epoch}\n`);
    writeFileSync(join(sys, "class/rtc/rtc0/device/hwmon/hwmon3/temp1_input"), "23250\n");
  };
  const open = async (fails = false) => {
    const run = async (program: string, args: readonly string[]) => {
      if (program === "timedatectl") return `${synced}\n`;
      calls.push([program, ...args].join(" "));
      if (fails) throw new Error("not permitted");
      return "";
    };
    const clock = new SystemClock({ sys, run });
    await clock.open();
    return clock;
  };

  it("knows no time without network and real-time clock", async () => {
    const clock = await open();
    expect([clock.source, clock.rtcTemperature]).toEqual(["none", null]);
    await clock.close();
  });

  it("takes the real-time clock's time and temperature", async () => {
    fitRtc(1_790_000_000);
    const clock = await open();
    expect([clock.source, clock.rtcTemperature]).toEqual(["rtc", 23.25]);
    await clock.close();
  });

  it("does not trust a real-time clock that lost its battery", async () => {
    fitRtc(946_684_800);
    const clock = await open();
    expect(clock.source).toBe("none");
    await clock.close();
  });

  it("prefers the network, and keeps that when the network goes", async () => {
    fitRtc(1_790_000_000);
    synced = "yes";
    const clock = await open();
    expect(clock.source).toBe("sntp");
    synced = "no";
    await clock.look();
    expect(clock.source).toBe("sntp");
    await clock.close();
  });

  it("sets the system's clock and the real-time clock, and says by hand", async () => {
    fitRtc(1_790_000_000);
    const clock = await open();
    const events: ClockEvent[] = [];
    clock.listen((event) => events.push(event));
    await clock.setTime(1_800_000_000);
    expect(calls).toEqual(["date -u -s @1800000000", "hwclock --systohc --utc"]);
    expect(events).toEqual([{ type: "source", source: "manual" }]);
    synced = "yes";
    await clock.look();
    expect(clock.source).toBe("sntp");
    await clock.close();
    await clock.close();
  });

  it("a clock that cannot be set is an error, and stays what it was", async () => {
    const clock = await open(true);
    await expect(clock.setTime(5)).rejects.toMatchObject({ code: "unavailable" });
    expect([clock.source, calls]).toEqual(["none", ["date -u -s @5"]]);
    await clock.close();
  });
});
