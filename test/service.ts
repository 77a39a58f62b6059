/** Runs Minaret as a process of its own, as a newcomer would, on free ports and in a home of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

export interface RunningService {
  process: ChildProcess;
  home: string;
  /** Everything printed so far. */
  output: string[];
  /** Plain http origins, for example `http://127.0.0.1:40123`. */
  appliance: string;
  soc: string;
  inspector: string | undefined;
  token: string;
  adminPassword: string;
  /** The next printed line that matches. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** SIGTERM, and wait for the end; the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and wait for the end. */
  kill(): Promise<void>;
  /** The end of a test: the process killed if it still runs, its home removed. */
  discard(): Promise<void>;
}

export interface ServiceOptions {
  env?: Record<string, string>;
  home?: string;
  /** The `main.ts` of another release. */
  main?: string;
  /** A command that the service is run by, for example strace; it must not take its place as the direct child. */
  under?: readonly string[];
  /** Of an earlier run in the same home, which printed them. */
  token?: string;
  adminPassword?: string;
}

const root = join(import.meta.dirname, "..");
const node = process.execPath;

export async function startService(
  which: "appliance" | "soc" | "all",
  options: ServiceOptions = {},
): Promise<RunningService> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "minaret-home-"));
  const main = options.main ?? join(root, "main.ts");
  const [program = node, ...args] = [...(options.under ?? []), node, main, which];
  const child = spawn(program, args, {
    cwd: dirname(main),
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      MINARET_HOME: home,
      MINARET_LOG: "warn",
      APPLIANCE_LISTEN: "http://127.0.0.1:0",
      APPLIANCE_AUDIO: "silent",
      SOC_LISTEN: "http://127.0.0.1:0",
      ...options.env,
    },
  });
  const output: string[] = [];
  const waiting = new Set<(line: string) => void>();
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (line: string) => {
      output.push(line);
      for (const look of waiting) look(line);
      if (line.trim() === "ready") resolve();
    };
    createInterface({ input: child.stdout }).on("line", hear);
    createInterface({ input: child.stderr }).on("line", (line) => output.push(line));
    void ended.then((code) =>
      reject(new Error(`ended with ${code} before it was ready:\n${output.join("\n")}`)),
    );
  });
  await ready;
  const labelled = (label: string) =>
    output
      .find((line) => line.trim().startsWith(label))
      ?.trim()
      .slice(label.length)
      .trim();
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    process: child,
    home,
    output,
    appliance: plainOrigin(labelled("appliance page")),
    soc: plainOrigin(labelled("platform page")),
    inspector: labelled("inspector"),
    token: labelled("device token") ?? options.token ?? "",
    adminPassword: labelled("admin password") ?? options.adminPassword ?? "",
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (line: string) => {
          const found = pattern.exec(line);
          if (found === null) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void ended.then((code) => reject(new Error(`ended with ${code} before it printed ${pattern}`)));
      }),
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
    kill,
    discard: async () => {
      await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function plainOrigin(addresses: string | undefined): string {
  const plain = addresses?.split(/\s+/).find((address) => address.startsWith("http://"));
  return plain ? new URL(plain).origin : "";
}
