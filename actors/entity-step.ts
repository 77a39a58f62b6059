import type { AnyStateMachine, SnapshotFrom } from "xstate";
import type { Commit, Doc } from "../drivers/store/store.ts";
import type { EntityKind, EntityRecord, StepMeta } from "./entity-kind.ts";
import type { Outstanding } from "./outstanding.ts";
import type { PlannedAction } from "./pure-step.ts";

/** One step of an entity as the state stream, the inspector and the audit hear of it. */
export interface EntityStep<TRecord extends EntityRecord = EntityRecord> {
  kind: string;
  event: { type: string };
  /** Null for a creation. */
  before: TRecord | null;
  record: TRecord;
  meta: StepMeta;
  /** `<kind>/<id>/<version>`: the same step has the same key. */
  key: string;
}

/** A document about the step itself that goes into the same commit. */
export type Audit = (
  step: EntityStep,
) => { collection: string; doc: { id: string } & Record<string, unknown> } | null;

export interface Plan<TRecord extends EntityRecord> {
  step: EntityStep<TRecord>;
  commit: Commit;
  outstanding: Outstanding[];
}

/** Everything that follows from one transition: the record, the documents beside it, and what is left to perform. */
export function planStep<TMachine extends AnyStateMachine, TRecord extends EntityRecord>(
  kind: EntityKind<TMachine, TRecord>,
  before: TRecord | null,
  event: { type: string },
  [snapshot, actions]: readonly [SnapshotFrom<TMachine>, readonly PlannedAction[]],
  meta: StepMeta,
  { audit, claimedUntil }: { audit: Audit | undefined; claimedUntil: number },
): Plan<TRecord> {
  const bare = kind.recordOf(snapshot);
  const version = (before?.version ?? 0) + 1;
  const record = { ...bare, version } as TRecord;
  const key = `${kind.name}/${record.id}/${version}`;
  const step = { kind: kind.name, event, before, record, meta, key };
  const appended: { collection: string; doc: { id: string } }[] = [];
  const outstanding: Outstanding[] = [];
  actions.forEach(({ type, params = null }, n) => {
    const append = kind.appends?.[type];
    if (append) appended.push(append(bare, params, meta, `${key}/${n}`));
    if (kind.effects?.[type])
      outstanding.push({
        id: `${key}/${n}`,
        kind: kind.name,
        effect: type,
        params,
        record,
        cause: meta.cause ?? null,
        at: claimedUntil,
        attempts: 0,
        error: null,
      });
  });
  const note = audit?.(step);
  if (note) appended.push(note);
  appended.push(...outstanding.map((doc) => ({ collection: "outstanding", doc })));
  const due = kind.dueOf ? { due: kind.dueOf(bare) } : {};
  const commit = {
    collection: kind.collection.name,
    version: version - 1,
    doc: { ...bare, ...due },
    append: appended,
  };
  return { step, commit, outstanding };
}

/** A record as it was stored, without the deadline that `timers` reads. */
export function recordOfDoc<TRecord extends EntityRecord>(doc: Doc, hasDue: boolean): TRecord {
  if (!hasDue) return doc as unknown as TRecord;
  const { due: _, ...record } = doc;
  return record as unknown as TRecord;
}
