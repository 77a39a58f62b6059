import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "../../machines/errors.ts";
import type { ClockDriver, ClockEvent, TimeSource } from "./clock.ts";
import { JumpWatch } from "./jump-watch.ts";

/** Runs a program of the system with its arguments as they are, and gives what it printed; tests give their own. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

const run: RunProgram = async (program, args) =>
  (await promisify(execFile)(program, [...args], { timeout: 10_000, env: { ...process.env, LC_ALL: "C" } }))
    .stdout;

/** A real-time clock that shows an earlier time has lost its battery: 1 January 2024. */
const earliestTrusted = 1_704_067_200;
const lookAgainMs = 30_000;

/** The machine's own clock: the only driver that sets it, and chosen only on a device. */
export class SystemClock implements ClockDriver {
  readonly name = "system";
  readonly offsetMs = 0;
  source: TimeSource = "none";
  rtcTemperature: number | null = null;
  readonly #rtc: string;
  readonly #run: RunProgram;
  readonly #listeners = new Set<(event: ClockEvent) => void>();
  readonly #watch: JumpWatch;
  #setByHand = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    options: { sys?: string; run?: RunProgram; wall?: () => number; monotonic?: () => number } = {},
  ) {
    this.#rtc = join(options.sys ?? "/sys", "class/rtc/rtc0");
    this.#run = options.run ?? run;
    this.#watch = new JumpWatch({
      wall: options.wall ?? Date.now,
      ...(options.monotonic && { monotonic: options.monotonic }),
      jumped: (byMs) => this.#tell({ type: "jumped", byMs }),
    });
  }

  async open(): Promise<void> {
    await this.look();
    this.#watch.start();
    this.#timer ??= setInterval(() => void this.look(), lookAgainMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watch.stop();
  }

  now(): number {
    return Date.now();
  }

  async setTime(epoch: number): Promise<void> {
    try {
      await this.#run("date", ["-u", "-s", `@${epoch}`]);
      if ((await this.#rtcEpoch()) !== null) await this.#run("hwclock", ["--systohc", "--utc"]);
    } catch (cause) {
      throw new DomainError("unavailable", "the clock could not be set", { cause });
    }
    this.#setByHand = true;
    await this.look();
    this.#watch.look();
  }

  listen(listener: (event: ClockEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks the kernel whether the network disciplines the clock; setting it by hand ends that until the next answer. */
  async look(): Promise<void> {
    const synced = await this.#run("timedatectl", ["show", "--property=NTPSynchronized", "--value"]).catch(
      () => "",
    );
    this.rtcTemperature = await this.#temperature();
    const source = await this.#sourceOf(synced.trim() === "yes");
    if (source === this.source) return;
    this.source = source;
    this.#tell({ type: "source", source });
  }

  async #sourceOf(synced: boolean): Promise<TimeSource> {
    if (synced) return "sntp";
    if (this.#setByHand) return "manual";
    // Once the network had told the time, the machine's clock keeps it.
    if (this.source === "sntp") return "sntp";
    return ((await this.#rtcEpoch()) ?? 0) >= earliestTrusted ? "rtc" : "none";
  }

  async #rtcEpoch(): Promise<number | null> {
    const text = await readFile(join(this.#rtc, "since_epoch"), "utf8").catch(() => null);
    return text === null ? null : Number.parseInt(text, 10);
  }

  async #temperature(): Promise<number | null> {
    const folder = join(this.#rtc, "device/hwmon");
    for (const name of await readdir(folder).catch(() => [])) {
      const text = await readFile(join(folder, name, "temp1_input"), "utf8").catch(() => "");
      const value = Number.parseInt(text, 10);
      if (Number.isFinite(value)) return value / 1000;
    }
    return null;
  }

  #tell(event: ClockEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
