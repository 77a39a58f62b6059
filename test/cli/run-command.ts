/** Runs `minaret …` as a person would, in a process of its own, until it ends. */
import { execFile } from "node:child_process";
import { join } from "node:path";

export const mainFile = join(import.meta.dirname, "../../main.ts");

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

export function minaret(
  args: readonly string[],
  env: Record<string, string> = {},
  main = mainFile,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { env: { PATH: process.env.PATH, ...env }, timeout: 120_000, killSignal: "SIGKILL" },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
