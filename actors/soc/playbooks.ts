/** Playbooks: kept as plain records, each change in one commit with its audit entry. */
import type { CollectionSpec, Doc } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Playbook } from "../../machines/soc/execution-record.ts";
import { refuseStale } from "../../machines/soc/moves.ts";
import { builtInPlaybooks } from "../../machines/soc/playbooks.ts";
import type { Asker } from "./asker.ts";
import { type Desk, isoNow } from "./desk.ts";
import { newId } from "./ids.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export type NewPlaybook = Omit<Playbook, "id">;

export interface StoredPlaybook extends Playbook {
  created_at: string;
  updated_at: string;
  version: number;
}

export interface PlaybookFilter {
  enabled?: boolean | undefined;
  critical?: boolean | undefined;
}

const collection = "playbooks";
/** Which built-in ones this store was given, so that a deleted one does not come back. */
const seeds = "playbook_seeds";

export const playbookCollections: readonly CollectionSpec[] = [
  { name: collection, indexes: [{ fields: ["created_at"] }, { fields: ["name"] }] },
  { name: seeds },
];

export class Playbooks {
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async get(id: string): Promise<StoredPlaybook> {
    const doc = await this.#desk.store.get(collection, id);
    if (!doc) throw new DomainError("not_found", `there is no playbook ${id}`);
    return shown(doc);
  }

  async list(query: ListQuery, filter: PlaybookFilter = {}): Promise<List<StoredPlaybook>> {
    const spec = { collection, sorts: ["created_at", "name", "updated_at"] } as const;
    const list = await listOf(this.#desk.store, spec, query, { ...filter });
    return { ...list, items: list.items.map(shown) };
  }

  async create(body: NewPlaybook, asker: Asker): Promise<StoredPlaybook> {
    const at = isoNow(this.#desk);
    const doc = { ...body, id: newId("playbook", this.#desk.now()), created_at: at, updated_at: at };
    const append = [this.#note(doc.id, "CREATED", asker)];
    await this.#desk.store.commit({ collection, version: 0, doc, append });
    return { ...doc, version: 1 };
  }

  change(
    id: string,
    patch: Partial<NewPlaybook>,
    asker: Asker,
    at_version?: number,
  ): Promise<StoredPlaybook> {
    return this.#swap(id, "CHANGED", asker, at_version, () => patch);
  }

  toggle(id: string, asker: Asker): Promise<StoredPlaybook> {
    return this.#swap(id, "TOGGLED", asker, undefined, ({ enabled }) => ({ enabled: !enabled }));
  }

  async remove(id: string, asker: Asker): Promise<void> {
    // Switched off in the commit that tells of it, then removed: a crash in between leaves one that does not run.
    await this.#swap(id, "DELETED", asker, undefined, () => ({ enabled: false }));
    await this.#desk.store.delete(collection, id);
  }

  /** Gives a fresh store the built-in ones. */
  async seed(): Promise<void> {
    const { store } = this.#desk;
    const at = isoNow(this.#desk);
    for (const playbook of builtInPlaybooks) {
      if (await store.get(seeds, playbook.id)) continue;
      await store.insert(collection, { ...structuredClone(playbook), created_at: at, updated_at: at });
      await store.insert(seeds, { id: playbook.id, at });
    }
  }

  async #swap(
    id: string,
    action: string,
    asker: Asker,
    at_version: number | undefined,
    change: (playbook: StoredPlaybook) => Partial<NewPlaybook>,
  ): Promise<StoredPlaybook> {
    for (let turn = 0; turn < 30; turn++) {
      const before = await this.get(id);
      const stale = refuseStale("playbook", before, at_version === undefined ? {} : { at_version });
      if (stale) throw DomainError.from(stale);
      const { version, ...doc } = { ...before, ...change(before), updated_at: isoNow(this.#desk) };
      const append = [this.#note(id, action, asker)];
      const won = await this.#desk.store.commit({ collection, version, doc, append });
      if (won) return { ...doc, version: version + 1 };
    }
    throw new DomainError("unavailable", `too many change playbook ${id} at once`);
  }

  #note(id: string, action: string, asker: Asker) {
    return this.#desk.audit.document({
      at: isoNow(this.#desk),
      actor: asker.actor,
      action: `playbook.${action}`,
      object: `playbook/${id}`,
      request_id: asker.cause ?? null,
    });
  }
}

function shown(doc: Doc): StoredPlaybook {
  const playbook = doc as unknown as StoredPlaybook;
  return { ...playbook, updated_at: playbook.updated_at ?? playbook.created_at };
}
