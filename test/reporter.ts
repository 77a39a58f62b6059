import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestModule, TestRunEndReason } from "vitest/node";
import type { WalkResult } from "./walker/walk.ts";

const walks = join(import.meta.dirname, "../node_modules/.cache/minaret/walks");

/** What a run ends with: the walks, what was skipped or retried, and one plain line of counts. */
export default class ClosingReport implements Reporter {
  onInit(): void {
    rmSync(walks, { recursive: true, force: true });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that fails without a failed test could not even be read.
    const broken = modules.filter((module) => module.state() === "failed" && !hasFailedTest(module)).length;
    printWalks();
    const skipped = new Set(
      tests.filter((t) => t.result().state === "skipped").map((t) => outermost(t.fullName)),
    );
    print("Not run here:", [...skipped]);
    const retried = tests.filter(
      (test) => test.result().state === "passed" && (test.diagnostic()?.retryCount ?? 0) > 0,
    );
    print(
      "Passed only at a later try:",
      retried.map((test) => test.fullName),
    );
    const failed = count("failed") + broken + errors.length + (reason === "interrupted" ? 1 : 0);
    console.log(`\n${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped`);
  }
}

function hasFailedTest(module: TestModule): boolean {
  return [...module.children.allTests("failed")].length > 0;
}

function outermost(name: string): string {
  return name.split(" > ")[0] ?? name;
}

function print(title: string, lines: string[]): void {
  if (lines.length > 0) console.log([`\n${title}`, ...lines.map((line) => `  ${line}`)].join("\n"));
}

function printWalks(): void {
  if (!existsSync(walks)) return;
  const results = globSync("*.json", { cwd: walks })
    .sort()
    .map((file) => JSON.parse(readFileSync(join(walks, file), "utf8")) as WalkResult);
  print("Transitions walked (taken / all, states seen, live replays):", results.map(row));
}

function row({ name, taken, total, states, replays }: WalkResult): string {
  return `${name.padEnd(22)} ${`${taken}/${total}`.padStart(9)}  ${String(states).padStart(6)}  ${String(replays).padStart(6)}`;
}
