import type { AnyStateMachine, EventFromLogic, InputFrom, SnapshotFrom } from "xstate";
import type { Store } from "../drivers/store/store.ts";
import { DomainError } from "../machines/errors.ts";
import type { Effects } from "./effects.ts";
import type { EntityKind, EntityRecord, StepMeta } from "./entity-kind.ts";
import { Mailboxes } from "./entity-mailbox.ts";
import { type Audit, type EntityStep, planStep, recordOfDoc } from "./entity-step.ts";
import { firstStep, nextStep, type PureStep } from "./pure-step.ts";
import type { Timers } from "./timers.ts";

export interface EntityOptions {
  /** Who performs what the steps decide. */
  effects: Effects;
  /** Who keeps the deadlines; needed where the kind has some. */
  timers?: Timers;
  audit?: Audit;
  /** Hears of each step once it is stored, before its effects: the state stream, the inspector. */
  onStep?(step: EntityStep): void;
  now?: () => number;
  /** How many events may wait for one record. */
  mailbox?: number;
  /** How many records are remembered; a stale one only costs a lost swap. */
  known?: number;
}

/** All entities of one kind: told by id, stored before they answer. */
export interface EntityHost<TEvent, TRecord, TInput> {
  /** Refused as `conflict` when the id, or another unique key, is taken. */
  create(id: string, input: TInput, meta: StepMeta): Promise<TRecord>;
  /** Null when the id, or another unique key, is taken. */
  createUnique(id: string, input: TInput, meta: StepMeta): Promise<TRecord | null>;
  tell(id: string, event: TEvent, meta: StepMeta): Promise<TRecord>;
  get(id: string): Promise<TRecord | null>;
  /** What `timers` calls: `FELL_DUE`, if the deadline still stands and has passed; the next deadline. */
  fellDue(id: string): Promise<number | null>;
}

/** How often a lost swap is tried again before the caller hears that too many write at once. */
const swaps = 30;

/** Joins a kind of entity with its store: mailbox, refusal, pure transition, one swap, then the effects. */
export function entityHost<TMachine extends AnyStateMachine, TRecord extends EntityRecord>(
  store: Store,
  kind: EntityKind<TMachine, TRecord>,
  { effects, timers, audit, onStep, now = Date.now, mailbox = 1_000, known: remembered = 500 }: EntityOptions,
): EntityHost<EventFromLogic<TMachine>, TRecord, InputFrom<TMachine>> {
  type TEvent = EventFromLogic<TMachine>;
  refuseMeaningless(kind);
  const mailboxes = new Mailboxes(mailbox);
  const known = new Map<string, TRecord>();

  function remember(record: TRecord): void {
    known.delete(record.id);
    known.set(record.id, record);
    if (known.size > remembered) known.delete(known.keys().next().value!);
  }

  async function read(id: string): Promise<TRecord | null> {
    const doc = await store.get(kind.collection.name, id);
    return doc && recordOfDoc<TRecord>(doc, kind.dueOf !== undefined);
  }

  /** The new record, or null when the swap was lost; then nothing has happened. */
  async function write(before: TRecord | null, event: { type: string }, next: PureStep, meta: StepMeta) {
    const claimedUntil = now() + effects.leaseMs;
    const plan = planStep(kind, before, event, next, meta, { audit, claimedUntil });
    const { record } = plan.step;
    if (!(await store.commit(plan.commit))) {
      known.delete(record.id);
      return null;
    }
    remember(record);
    try {
      onStep?.(plan.step);
    } catch (error) {
      // The step is stored: a listener's mistake must not look like a failed command.
      effects.log.error({ err: error, step: plan.step.key }, "a listener of entity steps failed");
    }
    effects.take(plan.outstanding);
    timers?.arm(kind.dueOf?.(record) ?? Number.POSITIVE_INFINITY);
    return record;
  }

  function stateOf({ version: _, ...context }: TRecord): SnapshotFrom<TMachine> {
    return kind.machine.resolveState({ value: context.status, context } as never) as SnapshotFrom<TMachine>;
  }

  /** `wanted` says whether the step is still asked for once the record is known. */
  async function step(
    id: string,
    event: TEvent,
    meta: StepMeta,
    wanted: (record: TRecord) => boolean = () => true,
  ) {
    for (let swap = 0; swap < swaps; swap++) {
      const remembered = known.get(id);
      const before = remembered ?? (await read(id));
      if (!before) throw new DomainError("not_found", `there is no ${kind.name} ${id}`);
      const refusal = wanted(before) ? kind.refusalOf(before, event) : "unwanted";
      if (refusal && remembered) {
        // Said only of a record just read: another process may have changed it since.
        known.delete(id);
        continue;
      }
      if (refusal === "unwanted") return before;
      if (refusal) throw DomainError.from(refusal);
      const next = nextStep(kind.machine, stateOf(before), event);
      const record = await write(before, event as { type: string }, next, meta);
      if (record) return record;
      if (swap > 3) await new Promise((resolve) => setTimeout(resolve, Math.random() * swap * 2));
    }
    throw new DomainError("unavailable", `too many change ${kind.name} ${id} at once`);
  }

  const host: EntityHost<TEvent, TRecord, InputFrom<TMachine>> = {
    async create(id, input, meta) {
      const record = await host.createUnique(id, input, meta);
      if (!record) throw new DomainError("conflict", `${kind.name} ${id} exists already`);
      return record;
    },
    createUnique: (id, input, meta) =>
      mailboxes.inTurn(id, () => {
        const first = firstStep(kind.machine, input);
        return write(null, { type: "CREATED" }, first, meta);
      }),
    tell: (id, event, meta) => mailboxes.inTurn(id, () => step(id, event, meta)),
    get: read,
    fellDue: (id) =>
      mailboxes.inTurn(id, async () => {
        const at = new Date(now()).toISOString();
        const event = { type: "FELL_DUE", at } as unknown as TEvent;
        const isDue = (record: TRecord) => (kind.dueOf?.(record) ?? Infinity) <= now();
        const record = await step(id, event, { actor: "system", at }, isDue);
        return kind.dueOf?.(record) ?? null;
      }),
  };
  if (kind.dueOf) timers?.register(kind.collection.name, host);
  effects.register(kind.name, {
    knows: (type) => kind.machine.events.includes(type as never),
    perform: ({ effect, record, params, id }) =>
      kind.effects![effect]!(record as unknown as TRecord, params, id),
    tell: (id, event, meta) => host.tell(id, event as TEvent, meta),
  });
  return host;
}

/** An action that is neither effect nor append would be dropped in silence: its body never runs. */
function refuseMeaningless<TMachine extends AnyStateMachine, TRecord extends EntityRecord>(
  kind: EntityKind<TMachine, TRecord>,
): void {
  const actions = kind.machine.implementations.actions as Record<string, unknown>;
  for (const [name, action] of Object.entries(actions)) {
    const builtIn = typeof action === "function" && "resolve" in action;
    if (!builtIn && !kind.effects?.[name] && !kind.appends?.[name])
      throw new TypeError(`the action ${name} of ${kind.name} is neither an effect nor an append`);
  }
}
