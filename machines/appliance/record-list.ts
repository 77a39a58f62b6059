import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** A small list of records that people keep: shown at once, changed only after the change is stored. */
export interface ListedRecord {
  id: string;
}

export type RecordListCommand<R extends ListedRecord> =
  /** Adds the record, or replaces the one with its id. */
  { type: "PUT"; id: string; record: R } | { type: "REMOVE"; id: string; key: string };

export type RecordListEvent<R extends ListedRecord> =
  | RecordListCommand<R>
  | { type: "STORED"; id: string; record: R }
  | { type: "REMOVED"; id: string; key: string }
  | { type: "WRITE_FAILED"; id: string; refusal: Refusal };

export interface RecordListInput<R extends ListedRecord> {
  records: readonly R[];
  limit: number;
}

export type RecordListReplies<R extends ListedRecord> = { PUT: R; REMOVE: { key: string } };

type Emitted =
  | { type: "settled"; id: string; reply: unknown }
  | { type: "failed"; id: string; refusal: Refusal };

/** One machine for every list of this kind; `name` is what the inspector shows. */
export function recordListMachine<R extends ListedRecord>(name: string) {
  return setup({
    types: {
      context: {} as RecordListInput<R>,
      input: {} as RecordListInput<R>,
      events: {} as RecordListEvent<R>,
      emitted: {} as Emitted,
    },
    actions: {
      storeRecord: (_, _params: { id: string; record: R }) => {}, // effect
      removeRecord: (_, _params: { id: string; key: string }) => {}, // effect
    },
  }).createMachine({
    id: name,
    context: ({ input }) => input,
    initial: "ready",
    states: {
      ready: {
        on: {
          PUT: { actions: { type: "storeRecord", params: ({ event }) => event } },
          REMOVE: { actions: { type: "removeRecord", params: ({ event }) => event } },
          STORED: {
            actions: [
              assign({ records: ({ context, event }) => withRecord(context.records, event.record) }),
              emit(({ event }) => ({ type: "settled", id: event.id, reply: event.record })),
            ],
          },
          REMOVED: {
            actions: [
              assign({ records: ({ context, event }) => context.records.filter((r) => r.id !== event.key) }),
              emit(({ event }) => ({ type: "settled", id: event.id, reply: { key: event.key } })),
            ],
          },
          WRITE_FAILED: {
            actions: emit(({ event }) => ({ type: "failed", id: event.id, refusal: event.refusal })),
          },
        },
      },
    },
  });
}

type RecordListSnapshot<R extends ListedRecord> = SnapshotFrom<ReturnType<typeof recordListMachine<R>>>;

export function recordsOf<R extends ListedRecord>(snapshot: RecordListSnapshot<R>): readonly R[] {
  return snapshot.context.records;
}

export function refusalOfList<R extends ListedRecord>(
  snapshot: RecordListSnapshot<R>,
  command: RecordListCommand<R>,
): Refusal | null {
  const { records, limit } = snapshot.context;
  const key = command.type === "PUT" ? command.record.id : command.key;
  const known = records.some((record) => record.id === key);
  if (command.type === "REMOVE" && !known) return { code: "not_found", message: `there is no ${key}` };
  if (command.type === "PUT" && !known && records.length >= limit) {
    return { code: "conflict", message: `the list is full: ${limit} at most` };
  }
  return null;
}

function withRecord<R extends ListedRecord>(records: readonly R[], record: R): readonly R[] {
  const at = records.findIndex((r) => r.id === record.id);
  return at < 0 ? [...records, record] : records.with(at, record);
}
