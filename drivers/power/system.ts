import { execFile } from "node:child_process";
import { access, constants, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "../../machines/errors.ts";
import type { PowerDriver, WakeCause } from "./power.ts";

/** Runs a program of the system with its arguments as they are; tests give their own. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<unknown>;

const run: RunProgram = (program, args) => promisify(execFile)(program, [...args], { timeout: 30_000 });

/** Linux suspend with the real-time clock as its alarm. */
export class SystemPower implements PowerDriver {
  readonly name = "system";
  private readonly sys: string;
  private readonly run: RunProgram;

  constructor(options: { sys?: string; run?: RunProgram } = {}) {
    this.sys = options.sys ?? "/sys";
    this.run = options.run ?? run;
  }

  async open(): Promise<void> {
    try {
      await access(this.state, constants.W_OK);
    } catch (cause) {
      throw new DomainError("unavailable", "this machine cannot suspend", { cause });
    }
  }

  async close(): Promise<void> {}

  /** The write to `state` returns when the machine has resumed. */
  async sleep(wakeInMs: number | null): Promise<WakeCause> {
    const seconds = wakeInMs === null ? null : Math.max(1, Math.floor(wakeInMs / 1000));
    await this.setAlarm(seconds);
    try {
      await writeFile(this.state, "mem");
    } catch (cause) {
      throw new DomainError("unavailable", "the device could not go to sleep", { cause });
    }
    // A real-time clock clears its alarm when it rings.
    const rang = seconds !== null && (await readFile(this.alarm, "utf8").catch(() => "0")).trim() === "";
    if (seconds !== null && !rang) await this.setAlarm(null);
    return rang ? "due" : "button";
  }

  wake(): void {}

  async reboot(): Promise<void> {
    await this.run("systemctl", ["reboot"]);
  }

  private get state(): string {
    return join(this.sys, "power/state");
  }

  private get alarm(): string {
    return join(this.sys, "class/rtc/rtc0/wakealarm");
  }

  /** A set alarm is refused while another stands, so the old one goes first. */
  private async setAlarm(seconds: number | null): Promise<void> {
    try {
      await writeFile(this.alarm, "0");
      if (seconds !== null) await writeFile(this.alarm, `+${seconds}`);
    } catch (cause) {
      // Without a real-time clock the button still wakes the device.
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return;
      throw new DomainError("unavailable", "the alarm of the real-time clock could not be set", { cause });
    }
  }
}
