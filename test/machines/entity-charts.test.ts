import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AnyStateMachine, assign, createMachine, raise, StateMachine, setup, spawnChild } from "xstate";
import { forbiddenParts } from "./entity-chart.ts";

/** Machines of the platform that live under the supervisor and are not stored. */
const live = new Set<string>(["edrPollerMachine"]);

const folder = join(import.meta.dirname, "../../machines/soc");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const charts: [string, AnyStateMachine][] = [];
for (const file of files) {
  const exported: Record<string, unknown> = await import(join(folder, file));
  for (const [name, value] of Object.entries(exported))
    if (value instanceof StateMachine && !live.has(name)) charts.push([name, value as AnyStateMachine]);
}

describe("a stored entity's chart", () => {
  it.each(charts)("%s has no invoke, after, spawn or history", (_, machine) => {
    expect(forbiddenParts(machine)).toEqual([]);
  });

  it("exists at all", () => {
    expect(charts.length).toBeGreaterThan(0);
  });

  const spawning = setup({ actors: { child: createMachine({}) }, actions: { bear: spawnChild("child") } });
  const assigning = setup({
    types: { context: {} as { one: unknown } },
    actors: { child: createMachine({}) },
  });
  it.each<[string, AnyStateMachine]>([
    ["invoke", createMachine({ initial: "a", states: { a: { invoke: { src: "x" } } } })],
    ["after", createMachine({ initial: "a", states: { a: { after: { 10: "b" } }, b: {} } })],
    [
      "history",
      createMachine({
        initial: "a",
        states: { a: { initial: "b", states: { b: {}, h: { type: "history" } } } },
      }),
    ],
    ["spawn", spawning.createMachine({ on: { GO: { actions: "bear" } } }) as AnyStateMachine],
    ["spawn", createMachine({ on: { GO: { actions: spawnChild("child") } } })],
    [
      "spawn",
      assigning.createMachine({
        context: { one: null },
        entry: assign({ one: ({ spawn }) => spawn("child") }),
      }) as AnyStateMachine,
    ],
    ["a delayed event", createMachine({ entry: raise({ type: "LATER" }, { delay: 10 }) })],
  ])("is refused for %s", (what, machine) => {
    expect(forbiddenParts(machine).join()).toContain(what);
  });
});
