import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { assign, type SnapshotFrom, setup } from "xstate";
import { Effects, type EffectsOptions } from "../../actors/effects.ts";
import { type EntityOptions, entityHost } from "../../actors/entity.ts";
import type { EntityKind } from "../../actors/entity-kind.ts";
import { entityCollections } from "../../actors/outstanding.ts";
import { Timers } from "../../actors/timers.ts";
import { openStore } from "../../drivers/store/open-store.ts";
import type { CollectionSpec, Store } from "../../drivers/store/store.ts";

/** A request that is announced, decided once, and lapses: the smallest entity with all that one can have. */
interface Request {
  id: string;
  status: "pending" | "announced" | "granted" | "lapsed" | "broken";
  by: string;
  count: number;
  ref: string | null;
  expires_at: number | null;
  version: number;
}

type RequestEvent =
  | { type: "GRANT" }
  | { type: "COUNT" }
  | { type: "ANNOUNCED" }
  | { type: "EFFECT_FAILED"; reason: string }
  | { type: "FELL_DUE" };

const requestMachine = setup({
  types: {
    context: {} as Omit<Request, "version">,
    events: {} as RequestEvent,
    input: {} as Pick<Request, "id" | "by"> & Partial<Pick<Request, "ref" | "expires_at">>,
  },
  actions: {
    announce: (_, _params: { to: string }) => {},
    note: (_, _params: { text: string }) => {},
    count: assign({ count: ({ context }) => context.count + 1 }),
  },
}).createMachine({
  context: ({ input }) => ({ status: "pending", count: 0, ref: null, expires_at: null, ...input }),
  initial: "pending",
  on: { COUNT: { actions: "count" } },
  states: {
    pending: {
      entry: { type: "announce", params: { to: "all" } },
      on: { ANNOUNCED: "announced", GRANT: "granted", FELL_DUE: "lapsed", EFFECT_FAILED: "broken" },
    },
    announced: { on: { GRANT: "granted", FELL_DUE: "lapsed" } },
    granted: { entry: { type: "note", params: { text: "granted" } } },
    lapsed: { entry: { type: "note", params: { text: "lapsed" } } },
    broken: {},
  },
});

export type Announce = (key: string, params: { to: string }) => Promise<RequestEvent | undefined>;

export const requestKind = (announce: Announce): EntityKind<typeof requestMachine, Request> => ({
  name: "request",
  collection: { name: "requests", indexes: [{ fields: ["ref"], unique: true }] },
  machine: requestMachine,
  refusalOf: (record, event) =>
    event.type === "COUNT" || ["pending", "announced"].includes(record.status)
      ? null
      : { code: "conflict", message: `the request is ${record.status}`, field: "status" },
  recordOf: (snapshot: SnapshotFrom<typeof requestMachine>) => ({
    ...snapshot.context,
    status: snapshot.value,
  }),
  dueOf: (record) => (["pending", "announced"].includes(record.status) ? record.expires_at : null),
  effects: { announce: (_record, params, key) => announce(key, params) },
  appends: {
    note: (record, { text }: { text: string }, { actor }, key) => ({
      collection: "notes",
      doc: { id: key, of: record.id, text, actor },
    }),
  },
});

export const subjectCollections: CollectionSpec[] = [
  ...entityCollections([requestKind(async () => undefined)]),
  { name: "notes" },
  { name: "audit" },
];

export const log = pino({ level: "silent" });
export const at = (ms = 0) => new Date(1_800_000_000_000 + ms).toISOString();
export const meta = { actor: "ana", cause: "request-1", at: at() };

const folders: string[] = [];

/** A database file of its own per call. */
export async function openSubjectStore(): Promise<{ store: Store }> {
  const folder = mkdtempSync(join(tmpdir(), "minaret-entity-"));
  folders.push(folder);
  return { store: await openStore(join(folder, "store.db"), subjectCollections) };
}

export function dropSubjectStores(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** The same store with one part of it replaced. */
export function storeWith(store: Store, part: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name in part) return Reflect.get(part, name);
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** One process: its host, its effects and its timers, on a store that it may share. */
export function process(
  store: Store,
  announce: Announce,
  options: Partial<EntityOptions & EffectsOptions> = {},
) {
  const effects = new Effects(store, { log, ...options });
  const timers = new Timers(store, { log, ...options });
  const host = entityHost(store, requestKind(announce), { timers, ...options, effects });
  return { host, effects, timers };
}
