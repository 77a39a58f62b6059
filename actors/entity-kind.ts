import type { AnyStateMachine, EventFromLogic, SnapshotFrom } from "xstate";
import type { CollectionSpec, NewDoc } from "../drivers/store/store.ts";
import type { Refusal } from "../machines/errors.ts";

/** The fields that every stored entity has; `status` is the state's name, the rest is the API's own. */
export interface EntityRecord {
  id: string;
  status: string;
  version: number;
}

/** Who and what a step comes from; it reaches the audit stream, the timeline and the state stream. */
export interface StepMeta {
  /** Username, key name, or the part of the platform that acts. */
  actor: string;
  /** The request's id, where a request caused the step. */
  cause?: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** Performed after the swap, again after a crash, always with the same key. Its result comes back as an event. */
export type Effect<TRecord, TEvent> = (
  record: TRecord,
  // biome-ignore lint/suspicious/noExplicitAny: the machine's own action params, typed there
  params: any,
  key: string,
) => Promise<TEvent | undefined>;

/** A document that follows from a step and is written with it, from an action of the machine. */
export type Append<TRecord> = (
  record: TRecord,
  // biome-ignore lint/suspicious/noExplicitAny: the machine's own action params, typed there
  params: any,
  meta: StepMeta,
  /** `<kind>/<id>/<version>/<n>`: the same step writes the same id. */
  key: string,
) => { collection: string; doc: NewDoc };

/** One kind of stored entity: its chart, its record, and what its named actions mean in the world. */
export interface EntityKind<TMachine extends AnyStateMachine, TRecord extends EntityRecord> {
  /** The resource's name in events and audit entries, for example `alert`. */
  name: string;
  collection: CollectionSpec;
  machine: TMachine;
  refusalOf(record: TRecord, event: EventFromLogic<TMachine>): Refusal | null;
  /** The record that is stored and shown; context is the record, `status` the state's name. */
  recordOf(snapshot: SnapshotFrom<TMachine>): Omit<TRecord, "version">;
  /** The absolute time in milliseconds at which `timers` sends `{ type: "FELL_DUE" }`. */
  dueOf?(record: Omit<TRecord, "version">): number | null;
  /** Actions of the chart that touch the world. */
  effects?: Record<string, Effect<TRecord, EventFromLogic<TMachine>>>;
  /** Actions of the chart that write a document of their own in the same commit. */
  appends?: Record<string, Append<Omit<TRecord, "version">>>;
}
