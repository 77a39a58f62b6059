import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StateMachine } from "xstate";
import { type WalkPlan, walk } from "../walker/walk.ts";

const root = join(import.meta.dirname, "../..");
const table = join(root, "node_modules/.cache/minaret/walks");
const plans: WalkPlan[] = [];
for (const file of globSync("test/{machines,actors}/**/*.cases.ts", { cwd: root }).sort()) {
  const found = (await import(join(root, file))) as { plan?: WalkPlan; plans?: WalkPlan[] };
  plans.push(...(found.plan ? [found.plan] : []), ...(found.plans ?? []));
}

describe("every machine is walked", () => {
  it.each(plans)("$name takes every transition of its chart", (plan) => {
    const result = walk(plan);
    mkdirSync(table, { recursive: true });
    writeFileSync(join(table, `${plan.name}.json`), JSON.stringify(result));
    expect(result.missing).toEqual([]);
  });

  it("no chart is left without a plan", async () => {
    // By the chart, since a plan may give its actions other bodies.
    const walked = new Set(plans.map((plan) => plan.machine.config));
    const left: string[] = [];
    for (const file of globSync("{machines,actors}/**/*.ts", { cwd: root })) {
      for (const [name, value] of Object.entries(await import(join(root, file)))) {
        if (value instanceof StateMachine && !walked.has(value.config)) left.push(`${name} of ${file}`);
      }
    }
    expect(left).toEqual([]);
  });
});
