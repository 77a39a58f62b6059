/** Plays a stored entity's chart on paper: the record after a list of events, and what its steps leave beside it. */
import {
  type AnyStateMachine,
  type EventFromLogic,
  type InputFrom,
  initialTransition,
  type SnapshotFrom,
  transition,
} from "xstate";

export interface Left {
  type: string;
  params: unknown;
  /** As the store would key it: `<kind>/<id>/<version>/<n>`. */
  key: string;
  event: { by?: string; at?: string };
}

export interface Replay<TRecord> {
  record: TRecord & { version: number };
  left: Left[];
}

export function replay<M extends AnyStateMachine, TRecord extends { id: string }>(
  machine: M,
  recordOf: (snapshot: SnapshotFrom<M>) => TRecord,
  input: InputFrom<M>,
  events: readonly EventFromLogic<M>[],
): Replay<TRecord> {
  const left: Left[] = [];
  const note = (version: number, event: object, actions: readonly { type: string; params: unknown }[]) => {
    for (const [n, { type, params }] of actions.entries()) {
      left.push({ type, params, key: `${machine.id}/${id}/${version}/${n}`, event });
    }
  };
  let [snapshot, actions] = initialTransition(machine, input);
  const { id } = recordOf(snapshot as SnapshotFrom<M>);
  let version = 1;
  note(version, input as object, actions);
  for (const event of events) {
    [snapshot, actions] = transition(machine, snapshot, event);
    note(++version, event, actions);
  }
  return { record: { ...recordOf(snapshot as SnapshotFrom<M>), version }, left };
}
