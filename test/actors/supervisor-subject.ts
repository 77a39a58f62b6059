import { pino } from "pino";
import { createActor, SimulatedClock, setup } from "xstate";
import type { Start } from "../../actors/client.ts";
import type { AnySpec, ChildSpec, SupervisorSpec } from "../../actors/supervisor-spec.ts";
import { type RunningTree, startTree, type TreeOptions } from "../../actors/tree.ts";

export type SubjectEvent = { type: "END" } | { type: "BOOM" } | { type: "ADD" };

/** A child that can be told to end in each way. */
const subjectMachine = setup({
  types: { context: {} as { n: number }, events: {} as SubjectEvent },
  actions: {
    explode: () => {
      throw new Error("boom");
    },
  },
}).createMachine({
  id: "subject",
  context: { n: 0 },
  initial: "alive",
  on: { BOOM: { actions: "explode" }, END: ".over" },
  states: { alive: { on: { ADD: {} } }, over: { type: "final" } },
});

interface SubjectView {
  state: string;
}

/** What happened to the children of a test, in order: `+a` started, `-a` closed. */
export type Diary = string[];

export function subject(diary: Diary, id: string): Start {
  return ({ inspect }) => {
    diary.push(`+${id}`);
    return {
      ref: createActor(subjectMachine, { inspect }).start(),
      speech: {
        refusalOf: () => null,
        viewOf: (snapshot): SubjectView => ({ state: String(snapshot.value) }),
        waits: [],
      },
      close: () => void diary.push(`-${id}`),
    };
  };
}

export function child(diary: Diary, id: string, more: Partial<ChildSpec> = {}): ChildSpec {
  return { id, restart: "permanent", start: subject(diary, id), ...more };
}

export const quiet = pino({ level: "silent" });

/** A tree on a clock that the test moves; waits are at their longest, as `random` is 1. */
export async function plant(
  children: readonly AnySpec[],
  more: Partial<SupervisorSpec> & { options?: Partial<TreeOptions>; clock?: SimulatedClock } = {},
): Promise<{ tree: RunningTree; clock: SimulatedClock; pass(ms: number): Promise<void> }> {
  const { options, clock = new SimulatedClock(), ...spec } = more;
  const tree = await startTree(
    { id: "root", strategy: "one_for_one", ...spec, children },
    { log: quiet, clock, random: () => 1, ...options },
  );
  const pass = async (ms: number) => {
    await settled();
    clock.increment(ms);
    await settled();
  };
  return { tree, clock, pass };
}

/** Everything that can happen without time passing has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function tell(tree: RunningTree, path: string, type: SubjectEvent["type"]): Promise<void> {
  await tree
    .client<SubjectEvent, SubjectView>(path)
    .ask({ type })
    .catch(() => {});
  await settled();
}

export function stateOf(tree: RunningTree, path: string): string | undefined {
  return tree.status().find((status) => status.path === path)?.state;
}
