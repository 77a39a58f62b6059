/**
 * Walks a machine through everything its chart can do.
 *
 * A plan stands in `<name>.cases.ts` under `test/machines` or `test/actors` and is exported as `plan`, or several as `plans`;
 * `test/machines/walks.test.ts` finds and runs them all, and refuses a chart that no plan covers.
 * Events are taken from the chart itself; the plan gives the payloads. Timers are events of the chart too.
 */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventFromLogic,
  type EventObject,
  getMicrosteps,
  type InputFrom,
  initialTransition,
  type SnapshotFrom,
} from "xstate";
import { allTransitions, nameOf } from "./transitions.ts";
import { WalkClock } from "./walk-clock.ts";

type Payloads<E extends EventObject> = {
  [K in E["type"]]?: readonly Omit<Extract<E, { type: K }>, "type">[];
};

export interface WalkPlan<M extends AnyStateMachine = AnyStateMachine> {
  /** The machine's name in the coverage table. */
  name: string;
  machine: M;
  /** One exploration starts from each; a machine without input has one start. */
  inputs?: readonly InputFrom<M>[];
  /** The payloads to try for each event type; a type left out is sent bare. */
  cases: Payloads<EventFromLogic<M>>;
  /** What tells two snapshots apart for the walk; by default the state's value and the whole context. */
  keyOf?(snapshot: SnapshotFrom<M>): string;
  /** Throws when a state must never be seen. Checked after every step, explored and replayed. */
  invariant?(snapshot: SnapshotFrom<M>): void;
  /** Most states to explore; 5,000 when left out. */
  limit?: number;
}

/** Keeps the types of a plan while it is written, then erases them so that all plans fit one list. */
export function walkPlan<M extends AnyStateMachine>(plan: WalkPlan<M>): WalkPlan {
  return plan as unknown as WalkPlan;
}

export interface WalkResult {
  name: string;
  states: number;
  replays: number;
  steps: number;
  taken: number;
  total: number;
  missing: string[];
}

interface Visit {
  snapshot: AnyMachineSnapshot;
  /** The way here: the visit before and the event that led on. */
  from: Visit | null;
  event: EventObject | null;
  input: unknown;
}

/** Explores with the pure transition function, then replays one walk of each kind on live actors. */
export function walk(plan: WalkPlan): WalkResult {
  const edges = explore(plan);
  const taken = new Set<unknown>();
  let steps = 0;
  for (const edge of edges.walks) steps += replay(plan, edge, taken);
  const all = allTransitions(plan.machine);
  const missing = all.filter((t) => !taken.has(t)).map(nameOf);
  return {
    name: plan.name,
    states: edges.states,
    replays: edges.walks.length,
    steps,
    taken: all.length - missing.length,
    total: all.length,
    missing,
  };
}

function explore(plan: WalkPlan): { walks: Visit[]; states: number } {
  const seen = new Set<string>();
  const kinds = new Set<string>();
  const walks: Visit[] = [];
  const queue: Visit[] = [];
  const keyOf = plan.keyOf ?? ((s: AnyMachineSnapshot) => JSON.stringify([s.value, s.context]));
  for (const input of plan.inputs ?? [undefined]) {
    const [snapshot] = initialTransition(plan.machine, input as never);
    const start = { snapshot: snapshot as AnyMachineSnapshot, from: null, event: null, input };
    walks.push(start);
    if (isNew(seen, `${plan.inputs?.indexOf(input as never)}${keyOf(start.snapshot)}`)) queue.push(start);
  }
  for (let visit = queue.shift(); visit; visit = queue.shift()) {
    plan.invariant?.(visit.snapshot);
    if (visit.snapshot.status !== "active") continue;
    for (const event of eventsOf(plan, visit.snapshot)) {
      const micro = getMicrosteps(plan.machine, visit.snapshot, event as never);
      const next = (micro.at(-1)?.[0] ?? visit.snapshot) as AnyMachineSnapshot;
      const step = { snapshot: next, from: visit, event, input: visit.input };
      if (isNew(kinds, kindOf(plan.machine, visit.snapshot, event, micro))) walks.push(step);
      if (isNew(seen, keyOf(step.snapshot))) {
        if (seen.size > (plan.limit ?? 5_000))
          throw new Error(`${plan.name}: more states than the plan's limit`);
        queue.push(step);
      }
    }
  }
  return { walks, states: seen.size };
}

const ids = new Map<unknown, number>();

/** Two steps are of one kind when they take the same transitions between the same states: one replay serves both. */
function kindOf(
  machine: AnyStateMachine,
  from: AnyMachineSnapshot,
  event: EventObject,
  steps: ReturnType<typeof getMicrosteps>,
): string {
  const taken = machine.getTransitionData(from as never, event as never);
  for (const each of taken) if (!ids.has(each)) ids.set(each, ids.size);
  return JSON.stringify([
    from.value,
    event.type,
    taken.map((each) => ids.get(each)),
    steps.map(([{ value }, actions]) => [value, actions.map(({ type }) => type)]),
  ]);
}

function isNew(set: Set<string>, key: string): boolean {
  return set.size < set.add(key).size;
}

/** What the chart listens to in this state, with the plan's payloads; every event of the plan counts for wildcards. */
function eventsOf(plan: WalkPlan, snapshot: AnyMachineSnapshot): EventObject[] {
  const cases = plan.cases as Record<string, readonly object[] | undefined>;
  const types = new Set<string>();
  for (const node of snapshot._nodes) {
    for (const descriptor of node.transitions.keys()) {
      if (!descriptor.includes("*")) types.add(descriptor as string);
      else for (const type of Object.keys(cases)) types.add(type);
    }
  }
  types.delete("");
  return [...types].flatMap((type) => (cases[type] ?? [{}]).map((payload) => ({ ...payload, type })));
}

function replay(plan: WalkPlan, last: Visit, taken: Set<unknown>): number {
  const path: Visit[] = [];
  for (let visit: Visit | null = last; visit; visit = visit.from) path.unshift(visit);
  const clock = new WalkClock();
  const actor = createActor(plan.machine, {
    input: last.input as never,
    clock,
    inspect: (inspection) => {
      if (inspection.type !== "@xstate.microstep") return;
      for (const t of inspection._transitions) taken.add(t);
    },
  });
  let failure: unknown;
  actor.subscribe({ error: (error) => (failure = error) });
  actor.start();
  for (const { event } of path) {
    if (!event) continue;
    if (!fireTimer(actor, clock, event.type)) actor.send(event as never);
    if (failure) throw failure;
    plan.invariant?.(actor.getSnapshot() as never);
  }
  actor.stop();
  return path.length;
}

/** A delayed transition is taken by moving the clock to it; everything due before it fires on the way. */
function fireTimer(actor: { system: unknown }, clock: WalkClock, type: string): boolean {
  if (!type.startsWith("xstate.after.")) return false;
  const { _snapshot } = actor.system as {
    _snapshot: { _scheduledEvents: Record<string, { event: EventObject }> };
  };
  const waiting = () => Object.values(_snapshot._scheduledEvents).find((timer) => timer.event.type === type);
  const timer = waiting();
  if (!timer) return false;
  while (waiting() === timer && clock.advanceToNext());
  return true;
}
