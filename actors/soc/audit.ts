/** The audit stream: entries are stored with what they tell of, and chained shortly after. */
import { randomBytes } from "node:crypto";
import { createActor, fromCallback } from "xstate";
import { sha256 } from "../../drivers/keys/ed25519.ts";
import type { Keys } from "../../drivers/keys/keys.ts";
import type { Logger } from "../../drivers/log/log.ts";
import type { CollectionSpec, Condition, NewDoc, Store } from "../../drivers/store/store.ts";
import {
  type AuditEntry,
  type AuditLink,
  auditCollections,
  auditRoot,
  linkEntries,
} from "../../machines/soc/audit.ts";
import { wellFormed } from "../../machines/soc/ledger.ts";
import type { Start } from "../client.ts";
import type { EntityStep } from "../entity-step.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export const auditSpecs: readonly CollectionSpec[] = [
  {
    name: auditCollections.entries,
    indexes: [{ fields: ["at"] }, { fields: ["object", "at"] }, { fields: ["chain", "n"] }],
  },
  { name: auditCollections.links, indexes: [{ fields: ["entry_id"] }, { fields: ["chain", "seq"] }] },
];

/** What a writer says; the stream adds chain, number and id. */
export interface AuditNote {
  at: string;
  actor: string;
  action: string;
  object: string;
  result?: AuditEntry["result"];
  request_id?: string | null;
  detail?: Record<string, unknown>;
}

export interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  object?: string | undefined;
  result?: string | undefined;
  request_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** An entry with its place in the chain; null while it waits for one. */
export type ShownAudit = AuditEntry & { link: Pick<AuditLink, "seq" | "prev_hash" | "hash"> | null };

export interface AuditOptions {
  store: Store;
  keys: Keys;
  log: Logger;
  now?: () => number;
}

/** After so long an entry that is not in the store never came there: its step lost the swap. */
const lostMs = 30_000;
const pendingKept = 100_000;
const batch = 500;
const adoptable = 1_000;

export class Audit {
  /** The chain of this process. */
  readonly chain: string;
  readonly #store: Store;
  readonly #keys: Keys;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #pending = new Map<string, { n: number; since: number }>();
  #n = 0;
  #end: { seq: number; hash: string };
  #sealing: Promise<void> | null = null;
  #opened = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ store, keys, log, now = Date.now }: AuditOptions) {
    this.#store = store;
    this.#keys = keys;
    this.#log = log;
    this.#now = now;
    this.chain = `${now().toString(16)}-${randomBytes(6).toString("hex")}`;
    this.#end = { seq: 0, hash: auditRoot(this.chain, sha256) };
  }

  /** An entry to be written in the same commit as what it tells of. */
  document(note: AuditNote): { collection: string; doc: NewDoc } {
    this.#n += 1;
    const id = `${this.chain}/${String(this.#n).padStart(12, "0")}`;
    // While the store is down nothing is stored, and what is only begun must not fill the memory.
    if (this.#pending.size < pendingKept) this.#pending.set(id, { n: this.#n, since: this.#now() });
    const entry: AuditEntry = {
      id,
      chain: this.chain,
      n: this.#n,
      at: note.at,
      actor: note.actor,
      action: note.action,
      object: note.object,
      result: note.result ?? "ok",
      request_id: note.request_id ?? null,
      detail: note.detail ?? {},
    };
    return { collection: auditCollections.entries, doc: { ...wellFormed(entry) } };
  }

  /** The hook of entity hosts: one entry per step. */
  readonly ofStep = ({
    kind,
    event,
    before,
    record,
    meta,
  }: EntityStep): { collection: string; doc: NewDoc } =>
    this.document({
      at: meta.at,
      actor: meta.actor,
      action: `${kind}.${event.type}`,
      object: `${kind}/${record.id}`,
      request_id: meta.cause ?? null,
      detail: { from: before?.status ?? null, to: record.status, version: record.version },
    });

  /** An entry of its own: a login, a refusal, a preview. */
  async record(note: AuditNote): Promise<void> {
    const { collection, doc } = this.document(note);
    await this.#store.insert(collection, doc);
  }

  async list(query: ListQuery, filter: AuditFilter = {}): Promise<List<ShownAudit>> {
    const { from, to, ...equal } = filter;
    const at: Condition | undefined =
      from === undefined && to === undefined
        ? undefined
        : {
            ...(from === undefined ? {} : { gte: utc(from) }),
            ...(to === undefined ? {} : { lte: utc(to) }),
          };
    const spec = { collection: auditCollections.entries, sorts: ["at"] } as const;
    const list = await listOf(this.#store, spec, query, { ...equal, at });
    const links = await this.#linksOf(list.items.map((doc) => doc.id));
    const items = list.items.map(({ version: _, ...doc }) => {
      const link = links.get(doc.id);
      const place = link ? { seq: link.seq, prev_hash: link.prev_hash, hash: link.hash } : null;
      return { ...(doc as unknown as AuditEntry), link: place };
    });
    return { ...list, items };
  }

  start(everyMs = 500): void {
    this.#timer ??= setInterval(() => void this.seal(), everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.seal();
  }

  /** Chains what was stored since the last time. One at a time; a store that is down only puts it off. */
  seal(): Promise<void> {
    this.#sealing ??= this.#sealAll()
      .catch((error) => this.#log.debug({ err: error }, "the audit stream could not be chained"))
      .finally(() => {
        this.#sealing = null;
      });
    return this.#sealing;
  }

  async #sealAll(): Promise<void> {
    if (!this.#store.up) return;
    if (!this.#opened) await this.#open();
    while (this.#pending.size > 0) {
      const waiting = [...this.#pending.values()].slice(0, batch).map(({ n }) => n);
      const before = this.#now() - lostMs;
      const stored = await this.#entries(this.chain, Math.min(...waiting), Math.max(...waiting));
      const entries = stored.filter((entry) => this.#pending.has(entry.id));
      this.#dropLost(new Set(entries.map((entry) => entry.id)), Math.max(...waiting), before);
      if (entries.length === 0) return;
      if (await this.#append(this.chain, entries, this.#end)) {
        for (const entry of entries) this.#pending.delete(entry.id);
      }
      this.#end = await this.#endOf(this.chain);
      if (entries.length < batch) return;
    }
  }

  /** Takes over what a process that died left unchained, and names the ends of the other chains in this one. */
  async #open(): Promise<void> {
    const recent = await this.#store.find(auditCollections.entries, {
      sort: [{ field: "at", direction: "desc" }],
      limit: adoptable,
    });
    const old = new Date(this.#now() - lostMs / 3).toISOString();
    const entries = recent.items
      .map(({ version: _, ...doc }) => doc as unknown as AuditEntry)
      .filter((entry) => entry.chain !== this.chain && entry.at <= old);
    const links = await this.#linksOf(entries.map((entry) => entry.id));
    const heads: Record<string, { seq: number; hash: string }> = {};
    for (const [chain, list] of Map.groupBy(entries, (entry) => entry.chain)) {
      const left = list.filter((entry) => !links.has(entry.id)).sort((a, b) => a.n - b.n);
      if (left.length > 0) await this.#append(chain, left, await this.#endOf(chain));
      heads[chain] = await this.#endOf(chain);
    }
    this.#opened = true;
    const at = new Date(this.#now()).toISOString();
    await this.record({
      at,
      actor: "system",
      action: "audit.opened",
      object: `audit/${this.chain}`,
      detail: { heads },
    });
  }

  /** False when another process chained something there first. */
  #append(
    chain: string,
    entries: readonly AuditEntry[],
    end: { seq: number; hash: string },
  ): Promise<boolean> {
    const links = linkEntries(entries, end, sha256, (hash) => this.#keys.sign(hash));
    const [first, ...rest] = links.map(({ id: entry_id, ...link }) => ({
      ...link,
      id: `${chain}/${link.seq}`,
      entry_id,
    }));
    if (!first) return Promise.resolve(true);
    const append = rest.map((doc) => ({ collection: auditCollections.links, doc }));
    return this.#store.commit({ collection: auditCollections.links, version: 0, doc: first, append });
  }

  async #endOf(chain: string): Promise<{ seq: number; hash: string }> {
    const sort = [{ field: "seq", direction: "desc" }] as const;
    const { items } = await this.#store.find(auditCollections.links, { where: { chain }, sort, limit: 1 });
    const [last] = items as unknown as AuditLink[];
    return last ? { seq: last.seq, hash: last.hash } : { seq: 0, hash: auditRoot(chain, sha256) };
  }

  async #entries(chain: string, from: number, to: number): Promise<AuditEntry[]> {
    const { items } = await this.#store.find(auditCollections.entries, {
      where: { chain, n: { gte: from, lte: to } },
      sort: [{ field: "n", direction: "asc" }],
      limit: batch,
    });
    return items.map(({ version: _, ...doc }) => doc as unknown as AuditEntry);
  }

  async #linksOf(ids: readonly string[]): Promise<Map<string, AuditLink>> {
    if (ids.length === 0) return new Map();
    const { items } = await this.#store.find(auditCollections.links, {
      where: { entry_id: { in: ids } },
      limit: ids.length,
    });
    return new Map(items.map((doc) => [doc.entry_id as string, doc as unknown as AuditLink]));
  }

  /** Looked for and not found although it is old: that step was never stored. Found ones are chained by now. */
  #dropLost(stored: ReadonlySet<string>, upTo: number, before: number): void {
    for (const [id, { n, since }] of this.#pending) {
      if (n > upTo) return;
      if (since < before && !stored.has(id)) this.#pending.delete(id);
    }
  }
}

/** Times are stored in UTC and compared as text. */
function utc(time: string): string {
  return new Date(time).toISOString();
}

/** The child of the tree that chains the stream; without it entries are stored and wait. */
export function startAudit(audit: Audit): Start {
  return ({ inspect }) => {
    const logic = fromCallback(() => {
      audit.start();
      return () => void audit.stop();
    });
    return { ref: createActor(logic, { inspect }).start(), close: () => audit.stop() };
  };
}
