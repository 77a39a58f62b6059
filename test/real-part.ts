import { spawnSync } from "node:child_process";
import { describe } from "vitest";

const found = new Map<string, boolean>();

/** Whether a program of this machine can be called. */
export function has(program: string): boolean {
  const known = found.get(program);
  if (known !== undefined) return known;
  const answer = spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
  found.set(program, answer);
  return answer;
}

/**
 * A suite that needs programs of the machine. Under CI a missing one fails the suite;
 * elsewhere it is skipped, and its title says why.
 */
export function describeWith(programs: readonly string[], title: string, suite: () => void): void {
  const missing = programs.filter((program) => !has(program));
  if (missing.length === 0 || process.env.CI === "true") describe(title, suite);
  else describe.skip(`${title} (skipped: ${missing.join(", ")} not found)`, suite);
}
