/** The people of the platform: who they are, what role they have, and since when their tokens count. */
import type { Passwords } from "../../drivers/passwords/passwords.ts";
import type { CollectionSpec, Doc } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Role } from "../../machines/soc/roles.ts";
import { Mailboxes } from "../entity-mailbox.ts";
import type { Asker } from "./asker.ts";
import type { AuditNote } from "./audit.ts";
import { type Desk, isoNow } from "./desk.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export const userCollection: CollectionSpec = { name: "users", indexes: [{ fields: ["created_at"] }] };

export interface User {
  id: string;
  role: Role;
  disabled: boolean;
  password: string;
  /** Tokens of an earlier one are void. Begins at the time of creation: a name given anew revives no old token. */
  token_version: number;
  created_at: string;
  version: number;
}

export interface ShownUser {
  username: string;
  role: Role;
  disabled: boolean;
  created_at: string;
}

export interface UserPatch {
  role?: Role | undefined;
  disabled?: boolean | undefined;
  password?: string | undefined;
}

/** Told of each change as soon as it is stored; null when the user is gone. */
export type UserListener = (username: string, user: User | null) => void;

/** Names that stand for something else in paths and records. */
const reserved = ["me", "system", "anonymous"];
const name = userCollection.name;

export class Users {
  readonly #desk: Desk;
  readonly #passwords: Passwords;
  readonly #changed: UserListener;
  /** One change at a time: two administrators must not remove each other at once. */
  readonly #turns = new Mailboxes(1_000);

  constructor(desk: Desk, passwords: Passwords, changed: UserListener = () => {}) {
    this.#desk = desk;
    this.#passwords = passwords;
    this.#changed = changed;
  }

  async find(username: string): Promise<User | null> {
    return (await this.#desk.store.get(name, username)) as User | null;
  }

  async list(query: ListQuery, filter: { role?: string; disabled?: boolean } = {}): Promise<List<ShownUser>> {
    const list = await listOf(this.#desk.store, { collection: name, sorts: ["created_at"] }, query, filter);
    return { ...list, items: list.items.map((doc) => shownUser(doc as unknown as User)) };
  }

  /** With a hash in place of a password where one was made before. */
  async create(
    {
      username,
      role,
      ...given
    }: { username: string; role: Role } & ({ password: string } | { hash: string }),
    asker: Asker,
  ): Promise<ShownUser> {
    if (reserved.includes(username.toLowerCase()))
      throw new DomainError("invalid_input", "username: is reserved", { field: "username" });
    const password = "hash" in given ? given.hash : await this.#passwords.hash(given.password);
    const user = {
      ...{ id: username, role, disabled: false, password },
      ...{ token_version: this.#desk.now(), created_at: isoNow(this.#desk), version: 0 },
    };
    const made = await this.#save(user, "CREATED", asker, { role });
    if (!made) throw new DomainError("conflict", `user ${username} exists already`, { field: "username" });
    return shownUser(made);
  }

  change(username: string, patch: UserPatch, asker: Asker, at_version?: number): Promise<ShownUser> {
    return this.#turns.inTurn("all", async () => {
      const before = await this.#existing(username);
      if (at_version !== undefined && at_version !== before.version)
        throw new DomainError("conflict", `user ${username} is at version ${before.version}`);
      const { role = before.role, disabled = before.disabled, password } = patch;
      if (role !== "admin" || disabled) await this.#refuseLastAdmin(before);
      const hash = password === undefined ? before.password : await this.#passwords.hash(password);
      const voids = password !== undefined || (disabled && !before.disabled);
      const token_version = before.token_version + (voids ? 1 : 0);
      const next = { ...before, role, disabled, password: hash, token_version };
      const detail = { role, disabled, password: password !== undefined };
      return shownUser(await this.#swap(next, "CHANGED", asker, detail));
    });
  }

  /** The caller proves that the session is theirs by the password it began with. */
  changeOwn(username: string, current: string, next: string, asker: Asker): Promise<User> {
    return this.#turns.inTurn("all", async () => {
      const before = await this.#existing(username);
      if (!(await this.#passwords.matches(current, before.password))) {
        await this.#desk.audit.record({
          ...this.#noteOf(username, "PASSWORD_CHANGED", asker),
          result: "refused",
        });
        throw new DomainError("forbidden", "current_password: is wrong", { field: "current_password" });
      }
      const password = await this.#passwords.hash(next);
      const token_version = before.token_version + 1;
      return this.#swap({ ...before, password, token_version }, "PASSWORD_CHANGED", asker);
    });
  }

  /** Disabled in the commit that tells of it, then removed: a crash in between leaves nobody with access. */
  remove(username: string, asker: Asker): Promise<void> {
    return this.#turns.inTurn("all", async () => {
      const before = await this.#existing(username);
      if (username === asker.actor) throw new DomainError("conflict", "nobody deletes their own account");
      await this.#refuseLastAdmin(before);
      const gone = { ...before, disabled: true, token_version: before.token_version + 1 };
      await this.#swap(gone, "DELETED", asker);
      await this.#desk.store.delete(name, username);
      this.#changed(username, null);
    });
  }

  /** Puts another hash in place of one that nobody ever saw the password of. */
  async replaceHash(username: string, from: string, to: string, asker: Asker): Promise<boolean> {
    const user = await this.find(username);
    if (user?.password !== from) return false;
    return (await this.#save({ ...user, password: to }, "PASSWORD_CHANGED", asker)) !== null;
  }

  async #existing(username: string): Promise<User> {
    const user = await this.find(username);
    if (!user) throw new DomainError("not_found", `there is no user ${username}`);
    return user;
  }

  async #refuseLastAdmin({ id, role, disabled }: User): Promise<void> {
    if (role !== "admin" || disabled) return;
    const where = { role: "admin", disabled: false, id: { not: id } };
    if ((await this.#desk.store.count(name, { where }, 1)) > 0) return;
    throw new DomainError("conflict", "the last administrator stays");
  }

  async #swap(user: User, action: string, asker: Asker, detail: object = {}): Promise<User> {
    const saved = await this.#save(user, action, asker, detail);
    if (!saved) throw new DomainError("conflict", `user ${user.id} was changed meanwhile; try again`);
    return saved;
  }

  async #save(user: User, action: string, asker: Asker, detail: object = {}): Promise<User | null> {
    const { version, ...doc } = user;
    const note = this.#desk.audit.document({
      ...this.#noteOf(user.id, action, asker),
      detail: { ...detail },
    });
    if (!(await this.#desk.store.commit({ collection: name, version, doc, append: [note] }))) return null;
    const saved = { ...user, version: version + 1 };
    this.#changed(user.id, saved);
    return saved;
  }

  #noteOf(username: string, action: string, { actor, cause }: Asker): AuditNote {
    const object = `user/${username}`;
    return { at: isoNow(this.#desk), actor, action: `user.${action}`, object, request_id: cause ?? null };
  }
}

export function shownUser({ id, role, disabled, created_at }: User | (Doc & Omit<User, "id">)): ShownUser {
  return { username: id, role, disabled, created_at };
}
