import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate";

/** Every transition that a chart has, guarded branches, timers and `always` included. */
export function allTransitions(machine: AnyStateMachine): AnyTransitionDefinition[] {
  const found: AnyTransitionDefinition[] = [];
  const visit = (node: AnyStateNode): void => {
    for (const list of node.transitions.values()) found.push(...list);
    found.push(...(node.always ?? []));
    for (const child of Object.values(node.states)) visit(child as AnyStateNode);
  };
  visit(machine.root);
  return [...new Set(found)];
}

/** A transition in words, for the list of what was missed. */
export function nameOf(transition: AnyTransitionDefinition): string {
  const guard = transition.guard as { type?: string } | string | undefined;
  const named = typeof guard === "string" ? guard : (guard?.type ?? (guard ? "inline guard" : undefined));
  const targets = (transition.target ?? []).map((target) => target.id).join(", ") || "(stays)";
  return `${transition.source.id} —${transition.eventType || "always"}${named ? ` [${named}]` : ""}→ ${targets}`;
}
