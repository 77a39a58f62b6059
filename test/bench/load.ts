import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import autocannon, { type Request } from "autocannon";
import { type RunningService, type ServiceOptions, startService } from "../service.ts";

export interface Baseline {
  origin: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts one of `sides/`, which prints its address first, as a process of its own. */
export async function startBaseline(script: string, args: readonly string[] = []): Promise<Baseline> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "sides", script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    void ended.then(() => reject(new Error(`${script} ended before it said anything`)));
  });
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { origin, process: child, stop };
}

/** Ours, without limits, in a home of its own that goes with it. */
export async function startOurs(
  which: "appliance" | "soc",
  env: ServiceOptions["env"] = {},
): Promise<RunningService> {
  const home = mkdtempSync(join(tmpdir(), "minaret-bench-"));
  const options = { home, env: { MINARET_LIMITS: "off", ...env } };
  const service = await startService(which, options);
  const stop = async () => {
    const code = await service.stop();
    rmSync(home, { recursive: true, force: true });
    return code;
  };
  return { ...service, stop };
}

export interface Load {
  url: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** One after the other on each connection, instead of the one above. */
  requests?: Request[];
  connections: number;
  seconds?: number;
}

export interface Fired {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Loads a server with keep-alive connections; anything but a success is an error of the measurement. */
export async function fire({ connections, seconds = 2, ...load }: Load): Promise<Fired> {
  const result = await autocannon({ ...load, connections, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors of ${load.url}`);
  const { p50, p99 } = result.latency;
  return { perSecond: result.requests.total / result.duration, p50Ms: p50, p99Ms: p99 };
}

export async function requestsPerSecond(load: Load): Promise<number> {
  return (await fire(load)).perSecond;
}

/** The same, and the processor time that the server took for each, which a busy neighbour stretches less. */
export async function requestsOf({ process: { pid } }: Pick<Baseline, "process">, load: Load) {
  const before = processorMs(pid!);
  const { perSecond } = await fire(load);
  const taken = processorMs(pid!) - before;
  return { perSecond, processorUs: (taken * 1_000) / (perSecond * (load.seconds ?? 2)) };
}

/** Processor time of a process so far, all its threads together; the kernel counts it in steps of 10 ms. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process in MB, as the kernel counts it. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** A folder that is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "minaret-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
