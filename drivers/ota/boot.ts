/** Runs the chosen release as a process of its own, and gives a new one up that does not report healthy in time. */
import { spawn } from "node:child_process";
import { join, relative } from "node:path";
import { type Choice, chooseSlot, reportHealthy, rollBack, type SlotName, slotsIn } from "./slots.ts";

const healthy = "minaret.healthy";

export interface BootOptions {
  home: string;
  args: readonly string[];
  /** How long a release under trial may take to report healthy. */
  healthLimitMs?: number;
  /** Told about each release that runs or is given up. */
  notice?(sentence: string): void;
}

/** The slot that a directory lies in, null outside of them. */
export function runningSlot(home: string, directory: string): SlotName | null {
  const [slot] = relative(slotsIn(home), directory).split("/");
  return slot === "a" || slot === "b" ? slot : null;
}

/** Resolves with the exit code of the release that ran, or null when the installed one has to run. */
export async function bootSlot(options: BootOptions): Promise<number | null> {
  for (;;) {
    const choice = await chooseSlot(options.home);
    if (!choice.directory) return null;
    options.notice?.(`running version ${choice.release?.version} from slot ${choice.release?.slot}`);
    const end = await runRelease(choice, options);
    if (!choice.trial || end.healthy) return end.code;
    const reason = end.late ? "it did not report healthy in time" : `it ended with code ${end.code}`;
    await rollBack(options.home, reason);
    options.notice?.(`version ${choice.release?.version} was given up: ${reason}`);
  }
}

/** Called once by a release that is up; tells the starting process too, where there is one. */
export async function declareHealthy(home: string): Promise<void> {
  await reportHealthy(home);
  process.send?.(healthy);
}

/** What stands in for a reboot where the device is only played: the same choice, proof and report. */
export async function rehearseBoot(home: string): Promise<Choice> {
  const choice = await chooseSlot(home);
  if (choice.trial) await reportHealthy(home);
  return choice;
}

function runRelease({ directory, trial }: Choice, { args, healthLimitMs = 60_000 }: BootOptions) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; healthy: boolean; late: boolean }>();
  const entry = join(directory ?? "", "main.ts");
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  let isHealthy = false;
  let late = false;
  const limit = trial
    ? setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, healthLimitMs)
    : undefined;
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on("SIGTERM", forward).on("SIGINT", forward);
  const finish = (code: number) => {
    clearTimeout(limit);
    process.off("SIGTERM", forward).off("SIGINT", forward);
    resolve({ code, healthy: isHealthy, late });
  };
  child.on("message", (message) => {
    if (message !== healthy) return;
    isHealthy = true;
    clearTimeout(limit);
  });
  child.once("error", () => finish(1));
  child.once("exit", (code) => finish(code ?? 1));
  return promise;
}
