import { createActor } from "xstate";
import type { Store } from "../../drivers/store/store.ts";
import {
  type ListedRecord,
  type RecordListCommand,
  type RecordListReplies,
  recordListMachine,
  recordsOf,
  refusalOfList,
} from "../../machines/appliance/record-list.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Client, Start, Tree } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { tell } from "../tell.ts";

export type RecordList<R extends ListedRecord> = Client<
  RecordListCommand<R>,
  readonly R[],
  RecordListReplies<R>
>;

/** What an asker is told when a write failed by a defect. */
export const notStored = "the change could not be stored";

export interface ListOptions<R> {
  limit?: number;
  /** Looks at a record before it is stored; throws why it cannot be kept. */
  admit?(record: R, tree: Tree): Promise<void>;
}

/** Keeps one collection of small records in memory and in the store; a change is stored before it is shown. */
export function startRecordList<R extends ListedRecord>(
  store: Store,
  collection: string,
  { limit = 500, admit = async () => {} }: ListOptions<R> = {},
): Start {
  const chart = recordListMachine<R>(collection);
  return async ({ inspect, tree }) => {
    const records = await readAll<R>(store, collection);
    const keep = async (record: R) => {
      await admit(record, tree);
      await put(store, collection, record);
    };
    const machine = chart.provide({
      actions: {
        storeRecord: (_, { id, record }) => {
          keep(record).then(
            () => tell(ref, { type: "STORED", id, record }),
            (error) => tell(ref, { type: "WRITE_FAILED", id, refusal: refusalFrom(error, notStored) }),
          );
        },
        removeRecord: (_, { id, key }) => {
          store.delete(collection, key).then(
            () => tell(ref, { type: "REMOVED", id, key }),
            (error) => tell(ref, { type: "WRITE_FAILED", id, refusal: refusalFrom(error, notStored) }),
          );
        },
      },
    });
    const ref = createActor(machine, { input: { records, limit }, inspect }).start();
    return { ref, speech: { refusalOf: refusalOfList, viewOf: recordsOf, waits: ["PUT", "REMOVE"] } };
  };
}

/** The version of each record last written here: no other process writes to this file, so it is mostly the one stored. */
const written = new WeakMap<Store, Map<string, number>>();
const remembered = 1_000;

/** Writes a record whether or not it was there before; it is read only when the swap was lost. */
export async function put(store: Store, collection: string, record: ListedRecord): Promise<void> {
  const versions = written.get(store) ?? new Map<string, number>();
  written.set(store, versions);
  const key = `${collection}/${record.id}`;
  let version = versions.get(key) ?? 0;
  for (let attempt = 0; attempt < 8; attempt++) {
    if (await store.commit({ collection, version, doc: { ...record } })) {
      if (versions.size >= remembered) versions.clear();
      versions.set(key, version + 1);
      return;
    }
    version = (await store.get(collection, record.id))?.version ?? 0;
  }
  throw new DomainError("unavailable", `${collection} could not be written`);
}

export async function readAll<R extends ListedRecord>(store: Store, collection: string): Promise<R[]> {
  const records: R[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.find(collection, { limit: 200, ...(cursor && { cursor }) });
    for (const { version: _, ...record } of page.items) records.push(record as unknown as R);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return records;
}
