import { type AnyActorScope, type AnyStateMachine, createActor, fromCallback } from "xstate";

/** An action that a step asks for, not performed. */
export interface PlannedAction {
  type: string;
  params?: unknown;
}

export type PureStep = readonly [snapshot: never, actions: readonly PlannedAction[]];

/**
 * XState's own `initialTransition` and `transition` make an actor for each step, and its first state from no input,
 * which throws in most charts: 70 µs. An entity's chart needs none of it (no invoke, spawn or delay), so one
 * inert actor serves all.
 */
const inert = createActor(fromCallback(() => {}));

export function firstStep(machine: AnyStateMachine, input: unknown): PureStep {
  const { scope, actions } = scopeOfStep();
  return [machine.getInitialSnapshot(scope, input) as never, actions];
}

export function nextStep(machine: AnyStateMachine, snapshot: unknown, event: unknown): PureStep {
  const { scope, actions } = scopeOfStep();
  return [machine.transition(snapshot as never, event as never, scope) as never, actions];
}

function scopeOfStep(): { scope: AnyActorScope; actions: PlannedAction[] } {
  const actions: PlannedAction[] = [];
  const scope: AnyActorScope = {
    self: inert,
    system: inert.system,
    id: "",
    sessionId: "",
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: (action) => void actions.push(action as PlannedAction),
  };
  return { scope, actions };
}
