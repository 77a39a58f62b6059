/** Keys for other services: shown once, kept as a hash, with permissions and an end. */
import { randomBytes } from "node:crypto";
import { sha256 } from "../../drivers/keys/ed25519.ts";
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Permission } from "../../machines/soc/roles.ts";
import type { Asker } from "./asker.ts";
import { type Desk, isoNow } from "./desk.ts";
import { newId } from "./ids.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export const apiKeyCollection: CollectionSpec = {
  name: "api_keys",
  indexes: [{ fields: ["created_at"] }, { fields: ["name"], unique: true }],
};

export interface ApiKey {
  id: string;
  name: string;
  permissions: Permission[];
  hash: string;
  expires_at: string;
  created_by: string;
  created_at: string;
  version: number;
}

export type ShownApiKey = Omit<ApiKey, "hash" | "version">;
export type ApiKeyListener = (id: string, key: ApiKey | null) => void;

const collection = apiKeyCollection.name;
const usualDays = 90;

export class ApiKeys {
  readonly #desk: Desk;
  readonly #changed: ApiKeyListener;

  constructor(desk: Desk, changed: ApiKeyListener = () => {}) {
    this.#desk = desk;
    this.#changed = changed;
  }

  async list(query: ListQuery): Promise<List<ShownApiKey>> {
    const list = await listOf(this.#desk.store, { collection, sorts: ["created_at"] }, query);
    return { ...list, items: list.items.map((doc) => shownKey(doc as unknown as ApiKey)) };
  }

  async create(
    {
      name,
      permissions,
      expires_at,
    }: { name: string; permissions: Permission[]; expires_at?: string | undefined },
    asker: Asker,
  ): Promise<ShownApiKey & { key: string }> {
    const now = this.#desk.now();
    const end = expires_at === undefined ? now + usualDays * 86_400_000 : Date.parse(expires_at);
    if (end <= now)
      throw new DomainError("invalid_input", "expires_at: must be in the future", { field: "expires_at" });
    const id = newId("key", now);
    const secret = randomBytes(32).toString("hex");
    const doc = {
      ...{ id, name, permissions: [...new Set(permissions)], hash: sha256(secret) },
      ...{ expires_at: new Date(end).toISOString(), created_by: asker.actor, created_at: isoNow(this.#desk) },
    };
    const append = [this.#note(id, "CREATED", asker, { name, permissions })];
    if (!(await this.#desk.store.commit({ collection, version: 0, doc, append })))
      throw new DomainError("conflict", `there is a key named ${name} already`, { field: "name" });
    const made = { ...doc, version: 1 };
    this.#changed(id, made);
    return { ...shownKey(made), key: `mk.${id}.${secret}` };
  }

  async remove(id: string, asker: Asker): Promise<void> {
    const key = await this.#desk.store.get(collection, id);
    if (!key) throw new DomainError("not_found", `there is no key ${id}`);
    // Ended in the commit that tells of it, then removed: a crash in between leaves a key that opens nothing.
    const { version, ...doc } = key;
    const ended = { ...doc, expires_at: isoNow(this.#desk) };
    const append = [this.#note(id, "DELETED", asker, { name: key.name })];
    await this.#desk.store.commit({ collection, version, doc: ended, append });
    await this.#desk.store.delete(collection, id);
    this.#changed(id, null);
  }

  #note(id: string, action: string, asker: Asker, detail: Record<string, unknown>) {
    return this.#desk.audit.document({
      at: isoNow(this.#desk),
      actor: asker.actor,
      action: `api_key.${action}`,
      object: `api_key/${id}`,
      request_id: asker.cause ?? null,
      detail,
    });
  }
}

function shownKey({ id, name, permissions, expires_at, created_by, created_at }: ApiKey): ShownApiKey {
  return { id, name, permissions, expires_at, created_by, created_at };
}
