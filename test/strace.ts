/** Watches what a running process asks of the kernel. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Trace {
  /** Lets go of the process; the calls in the order in which the kernel was asked. */
  lines(): Promise<string[]>;
}

/** Attaches to a process and all its threads; resolves when nothing can be missed any more. */
export async function traceProcess(pid: number, calls: string): Promise<Trace> {
  const folder = mkdtempSync(join(tmpdir(), "minaret-trace-"));
  const file = join(folder, "calls");
  const child = spawn("strace", ["-f", "-s", "256", "-e", `trace=${calls}`, "-o", file, "-p", String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exit = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes("attached")) break;
    if (line.includes("attach: ")) throw new Error(line);
  }
  return {
    lines: async () => {
      child.kill("SIGINT");
      await exit;
      const text = readFileSync(file, "utf8");
      rmSync(folder, { recursive: true, force: true });
      return text.split("\n");
    },
  };
}
