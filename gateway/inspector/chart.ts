import type { AnyStateMachine, AnyStateNode } from "xstate";

/** A chart as data, without code, parameters or context: what may be shown of a machine to anybody. */
export interface Chart {
  id: string;
  key: string;
  type: string;
  initial?: string | undefined;
  description?: string | undefined;
  tags?: string[];
  /** Of a history state. */
  target?: string | undefined;
  states: Record<string, Chart>;
  on: Record<string, ChartTransition[]>;
  always?: ChartTransition[];
  invoke: { id: string; src: string }[];
  entry: { type: string }[];
  exit: { type: string }[];
}

interface ChartTransition {
  target?: string[];
  guard?: { type: string };
  /** XState 4's word for the same. */
  cond?: { type: string };
  actions: { type: string }[];
}

/** XState 4 takes `xstate.` in an action's name for its own. */
type Dialect = 4 | 5;

const cache: Record<Dialect, WeakMap<AnyStateMachine, Chart>> = { 4: new WeakMap(), 5: new WeakMap() };

export function chartOf(machine: AnyStateMachine, dialect: Dialect): Chart {
  const found = cache[dialect].get(machine);
  if (found !== undefined) return found;
  const chart = nodeOf(machine.root, dialect);
  cache[dialect].set(machine, chart);
  return chart;
}

function nodeOf(node: AnyStateNode, dialect: Dialect): Chart {
  const listOf = (list: readonly Transition[]) => list.map((each) => transitionOf(each, dialect));
  const on = [...node.transitions]
    .filter(([event]) => event !== "")
    .map(([event, list]) => [event, listOf(list)]);
  const always = node.always === undefined ? [] : listOf(node.always);
  return {
    id: node.id,
    key: node.key,
    type: node.type,
    initial: node.type === "compound" ? node.initial?.target[0]?.key : undefined,
    description: node.description,
    tags: [...node.tags],
    target: typeof node.config.target === "string" ? node.config.target : undefined,
    states: Object.fromEntries(
      Object.entries(node.states).map(([key, child]) => [key, nodeOf(child, dialect)]),
    ),
    // A viewer of XState 4 would take these at once, by guards that it does not have: there they have a name.
    on: Object.fromEntries(dialect === 4 && always.length > 0 ? [...on, ["always", always]] : on),
    ...(dialect === 5 && always.length > 0 ? { always } : {}),
    invoke: node.invoke.map(({ id, src }) => ({ id, src: typeof src === "string" ? src : id })),
    entry: node.entry.map((action) => actionOf(action, dialect)),
    exit: node.exit.map((action) => actionOf(action, dialect)),
  };
}

type Transition = AnyStateNode["always"] extends (infer T)[] | undefined ? T : never;

function transitionOf(transition: Transition, dialect: Dialect): ChartTransition {
  const guard = transition.guard === undefined ? undefined : { type: nameOf(transition.guard, "guard") };
  return {
    ...(transition.target === undefined ? {} : { target: transition.target.map((node) => `#${node.id}`) }),
    ...(guard === undefined ? {} : dialect === 4 ? { cond: guard } : { guard }),
    actions: transition.actions.map((action) => actionOf(action, dialect)),
  };
}

function actionOf(action: unknown, dialect: Dialect): { type: string } {
  const name = nameOf(action, "action");
  return { type: dialect === 4 ? name.replace(/^xstate\./, "") : name };
}

function nameOf(part: unknown, fallback: string): string {
  if (typeof part === "string") return part;
  if (typeof part === "function") return ("type" in part && String(part.type)) || part.name || fallback;
  if (typeof part === "object" && part !== null && "type" in part) return String(part.type);
  return fallback;
}
