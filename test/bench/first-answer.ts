import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMb } from "./load.ts";

export interface Program {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  /** One question to it; rejects while it cannot be reached. */
  ask(): Promise<unknown>;
}

/** Milliseconds from the start of a program to its first answer, and what it holds in memory a second later. */
export async function startOnce(program: Program): Promise<{ ms: number; mb: number }> {
  const { command, args, env = {}, ask } = program;
  const began = performance.now();
  const child = spawn(command, args, {
    stdio: "ignore",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const ended = once(child, "close");
  try {
    while (!(await answers(ask))) {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`);
      await sleep(2);
    }
    const ms = performance.now() - began;
    for (let n = 0; n < 10; n++) await ask();
    await sleep(1_000);
    return { ms, mb: residentOf(child) };
  } finally {
    child.kill("SIGKILL");
    await ended;
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

function residentOf({ pid }: ChildProcess): number {
  return residentMb(pid!);
}

/** Asked until it is answered: a port that takes a connection is not a program that serves. */
function answers(ask: Program["ask"]): Promise<boolean> {
  return ask().then(
    () => true,
    () => false,
  );
}
