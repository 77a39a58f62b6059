import type { AnyStateMachine, AnyStateNode } from "xstate";

/** What a stored entity's chart must not have, since a pure transition would drop it in silence. */
export function forbiddenParts(machine: AnyStateMachine): string[] {
  const inActions = Object.entries(machine.implementations.actions as Record<string, unknown>).flatMap(
    ([name, action]) => forbiddenAction(action).map((what) => `${what} in the action ${name}`),
  );
  return [...forbiddenInNode(machine.root), ...inActions];
}

function forbiddenInNode(node: AnyStateNode): string[] {
  const config = node.config as { after?: object; type?: string };
  const transitions = [...node.transitions.values()].flat();
  const actions = [...node.entry, ...node.exit, ...transitions.flatMap((transition) => transition.actions)];
  const found = [
    ...(node.invoke.length > 0 ? ["invoke"] : []),
    ...(config.after && Object.keys(config.after).length > 0 ? ["after"] : []),
    ...(node.type === "history" ? ["history"] : []),
    ...actions.flatMap(forbiddenAction),
  ];
  return [
    ...found.map((what) => `${what} in ${node.id}`),
    ...Object.values(node.states).flatMap((child) => forbiddenInNode(child)),
  ];
}

function forbiddenAction(action: unknown): string[] {
  if (typeof action !== "function") return [];
  const { type, delay, assignment } = action as { type?: string; delay?: unknown; assignment?: unknown };
  if (type === "xstate.spawnChild") return ["spawn"];
  if (delay !== undefined && (type === "xstate.raise" || type === "xstate.sendTo"))
    return ["a delayed event"];
  if (type === "xstate.sendTo") return ["an event for another actor"];
  const functions =
    typeof assignment === "object" && assignment !== null ? Object.values(assignment) : [assignment];
  const spawns = functions.some((each) => typeof each === "function" && /\bspawn\b/.test(String(each)));
  return spawns ? ["spawn"] : [];
}
