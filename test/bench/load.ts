import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import autocannon from "autocannon";

export interface Baseline {
  origin: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a script that prints its address first. */
export async function startBaseline(script: string, args: string[] = []): Promise<Baseline> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const origin = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once("line", resolve),
  );
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { origin, process: child, stop };
}

export interface Load {
  url: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  connections: number;
  seconds?: number;
}

/** Requests per second; anything but a success is an error of the measurement. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const result = await autocannon({
    url: load.url,
    method: load.method ?? "GET",
    connections: load.connections,
    duration: load.seconds ?? 3,
    ...(load.headers && { headers: load.headers }),
    ...(load.body && { body: load.body }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.total / result.duration;
}
