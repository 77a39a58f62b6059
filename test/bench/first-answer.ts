import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMb } from "./load.ts";

export interface Program {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
}

/** A program, and one question to it that fails while it cannot be reached. */
export interface Startable {
  program: Program;
  ask(): Promise<unknown>;
}

export interface Running {
  /** Milliseconds from its start to its first answer. */
  ms: number;
  /** Resident memory of it and what it has started. */
  residentMb(): number;
  stop(): Promise<void>;
}

/** Asked until it is answered: a port that takes a connection is not a program that serves. */
export async function startProgram({ program, ask }: Startable): Promise<Running> {
  const { command, args, env } = program;
  const began = performance.now();
  const child = spawn(command, args, {
    stdio: "ignore",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const ended = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    const cut = setTimeout(() => child.kill("SIGKILL"), 6_000);
    await ended;
    clearTimeout(cut);
  };
  const answers = () =>
    ask().then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
    if (performance.now() - began > 30_000) await stop();
    await sleep(2);
  }
  const ms = performance.now() - began;
  const pids = () => [child.pid!, ...childrenOf(child.pid!)];
  return { ms, residentMb: () => pids().reduce((sum, pid) => sum + residentMb(pid), 0), stop };
}

/** Started, asked, weighed a second later, and stopped. */
export async function startOnce(startable: Startable): Promise<{ ms: number; mb: number }> {
  const running = await startProgram(startable);
  try {
    for (let n = 0; n < 10; n++) await startable.ask();
    await sleep(1_000);
    return { ms: running.ms, mb: running.residentMb() };
  } finally {
    await running.stop();
  }
}

/** A GET on a connection of its own: a pool would remember the one to the process before. */
export async function fetchOnce(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = get(url, { agent: false }, (response) => response.resume().once("end", () => resolve()));
  request.once("error", reject);
  return promise;
}

/** Below the range that the kernel gives out: a connection tried again and again to one of those may meet itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parentOf = (pid: string): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1]);
    } catch {
      return 0;
    }
  };
  const own = pids.filter((pid) => parentOf(pid) === parent).map(Number);
  return own.flatMap((pid) => [pid, ...childrenOf(pid)]);
}
