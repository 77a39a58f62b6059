/** Who asks: tokens and keys become principals. What is known of users and keys is kept in memory. */
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../drivers/keys/ed25519.ts";
import type { Passwords } from "../../drivers/passwords/passwords.ts";
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import { type Permission, permissionsOf, type Role } from "../../machines/soc/roles.ts";
import { type ApiKey, apiKeyCollection } from "./api-keys.ts";
import { type Desk, isoNow } from "./desk.ts";
import { firstAdmin } from "./first-admin.ts";
import type { RuntimeMode } from "./mode.ts";
import type { Claims, Tokens } from "./tokens.ts";
import { type ShownUser, type User, type Users, userCollection } from "./users.ts";

export const revocationCollection: CollectionSpec = {
  name: "revoked_tokens",
  indexes: [{ fields: ["until"] }],
};

/** What a request brings to say who it is. */
export interface Credential {
  via: "token" | "cookie" | "key";
  text: string;
}

/** Who asks. Before authentication nobody, with no permission at all. */
export interface Principal {
  name: string;
  role: Role | null;
  permissions: ReadonlySet<Permission>;
  via: "none" | Credential["via"];
  claims?: Claims;
  keyId?: string;
}

type Known = Omit<ShownUser, "created_at"> & { created_at: string | null; token_version: number };

export interface IdentityOptions {
  desk: Desk;
  users: Users;
  passwords: Passwords;
  tokens: Tokens;
  mode: RuntimeMode;
  /** The first administrator's hash, for a showcase without a store. */
  adminHash(): string | null;
}

const refreshMs = 30_000;
/** The token version of a session that began without a store; only a showcase takes it. */
const storeless = -1;
const wrong = () => new DomainError("unauthorized", "the username or the password is wrong");
const stranger = () => new DomainError("unauthorized", "the token or key is missing, expired or not valid");

export class Identity {
  readonly #options: IdentityOptions;
  readonly #users = new Map<string, Known>();
  readonly #keys = new Map<string, ApiKey>();
  readonly #revoked = new Map<string, number>();
  readonly #removedAt = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #loadedAt: number | null = null;
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;
  #unlisten = () => {};
  #decoy = "";

  constructor(options: IdentityOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { desk, passwords } = this.#options;
    this.#decoy ||= await passwords.hash("nobody has this password");
    this.#timer ??= setInterval(() => void this.refresh(), refreshMs).unref();
    this.#unlisten = desk.store.listen((up) => up && void this.refresh());
    await this.refresh();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unlisten();
  }

  /** Hears that somebody's rights may have changed. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A token for whoever knows the password. Takes the same time and says the same where there is no such user. */
  async login(
    { username, password }: { username: string; password: string },
    from: { address: string; cause: string },
  ): Promise<string> {
    const { passwords, tokens } = this.#options;
    const user = await this.#candidate(username);
    const good = await passwords.matches(password, user?.password ?? this.#decoy);
    const admitted = good && user !== null && !user.disabled;
    await this.#note(username, "auth.login", admitted ? "ok" : "refused", from);
    if (!admitted) throw wrong();
    return tokens.issue({ username, role: user.role, token_version: user.token_version });
  }

  /** A new token where the old ones were made void by a new password. */
  renewed({ id, role, token_version }: User): Promise<string> {
    return this.#options.tokens.issue({ username: id, role, token_version });
  }

  /** The token that was used counts no longer, here at once and elsewhere at the next refresh. */
  async logout({ name, claims }: Principal, from: { address: string; cause: string }): Promise<void> {
    if (!claims) return;
    const until = claims.exp * 1_000;
    this.#revoked.set(claims.jti, until);
    this.#tell();
    const { store } = this.#options.desk;
    if (!store.up) return;
    await store.insert(revocationCollection.name, { id: claims.jti, until });
    await this.#note(name, "auth.logout", "ok", from);
  }

  async admit({ via, text }: Credential): Promise<Principal> {
    const principal = via === "key" ? await this.#ofKey(text) : await this.#ofToken(text, via);
    if (!principal) throw stranger();
    return principal;
  }

  /** The same one as it stands now, by what is known here; null when it counts no longer. */
  current(principal: Principal): Principal | null {
    const { claims, keyId, via } = principal;
    if (keyId !== undefined) return this.#keyHolder(this.#keys.get(keyId));
    if (!claims || via === "none" || via === "key" || claims.exp * 1_000 <= this.#now()) return null;
    return this.#holder(claims, this.#users.get(claims.sub) ?? this.#word(claims), via);
  }

  profile({ name, role, permissions }: Principal) {
    const known = this.#users.get(name);
    return {
      username: name,
      role: known?.role ?? role ?? "viewer",
      disabled: known?.disabled ?? false,
      created_at: known?.created_at ?? null,
      permissions: [...permissions].sort(),
    };
  }

  readonly userChanged = (username: string, user: User | null): void => {
    if (user) this.#users.set(username, knownOf(user));
    else this.#users.delete(username);
    // Whoever is not known any more has no word of their own either.
    if (!user) this.#removedAt.set(username, this.#now());
    this.#changes += 1;
    this.#tell();
  };

  readonly keyChanged = (id: string, key: ApiKey | null): void => {
    if (key) this.#keys.set(id, key);
    else this.#keys.delete(id);
    this.#changes += 1;
    this.#tell();
  };

  /** What other processes changed. A store that is down leaves the last known. */
  async refresh(): Promise<void> {
    const { store, effects } = this.#options.desk;
    if (!store.up) return;
    const now = this.#now();
    const changes = this.#changes;
    try {
      const [users, keys, revoked] = await Promise.all([
        store.find(userCollection.name),
        store.find(apiKeyCollection.name),
        store.find(revocationCollection.name),
      ]);
      // What was read may be older than what changed here meanwhile.
      if (changes !== this.#changes) return await this.refresh();
      this.#users.clear();
      for (const doc of users.items) this.#users.set(doc.id, knownOf(doc as unknown as User));
      this.#keys.clear();
      for (const doc of keys.items) this.#keys.set(doc.id, doc as unknown as ApiKey);
      for (const { id, until } of revoked.items) this.#revoked.set(id, until as number);
      this.#loadedAt = now;
      this.#removedAt.clear();
      this.#tell();
      await this.#forgetRevoked(now);
    } catch (error) {
      effects.log.debug({ err: error }, "users and keys could not be read; the last known count");
    }
  }

  async #forgetRevoked(now: number): Promise<void> {
    for (const [jti, until] of this.#revoked) {
      if (until > now) continue;
      this.#revoked.delete(jti);
      await this.#options.desk.store.delete(revocationCollection.name, jti);
    }
  }

  async #candidate(
    username: string,
  ): Promise<Pick<User, "password" | "role" | "disabled" | "token_version"> | null> {
    const { users, mode, adminHash } = this.#options;
    try {
      return await users.find(username);
    } catch (error) {
      const hash = adminHash();
      if (mode.mode !== "dummy" || !isUnavailable(error)) throw error;
      if (username !== firstAdmin || hash === null) return null;
      return { password: hash, role: "admin", disabled: false, token_version: storeless };
    }
  }

  async #ofToken(text: string, via: "token" | "cookie"): Promise<Principal | null> {
    const claims = await this.#options.tokens.read(text);
    return claims && this.#holder(claims, await this.#userOf(claims), via);
  }

  async #userOf(claims: Claims): Promise<Known | null> {
    const known = this.#users.get(claims.sub);
    if (known || claims.ver === storeless) return known ?? this.#word(claims);
    try {
      const user = await this.#options.users.find(claims.sub);
      if (!user) return null;
      this.#users.set(user.id, knownOf(user));
      return knownOf(user);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.#word(claims);
    }
  }

  /** The token's own word. Whoever was missing when users were last read after it was issued has been removed. */
  #word({ sub, role, ver, iat }: Claims): Known | null {
    const readAt = Math.max(this.#loadedAt ?? 0, this.#removedAt.get(sub) ?? 0);
    if (ver !== storeless && iat * 1_000 <= readAt) return null;
    return { username: sub, role, disabled: false, token_version: ver, created_at: null };
  }

  #holder(claims: Claims, user: Known | null, via: "token" | "cookie"): Principal | null {
    if (!user || user.disabled || this.#revoked.has(claims.jti)) return null;
    const showcase = claims.ver === storeless && this.#options.mode.mode === "dummy";
    if (user.token_version !== claims.ver && !showcase) return null;
    if (claims.ver === storeless && !showcase) return null;
    return { name: user.username, role: user.role, permissions: permissionsOf(user.role), via, claims };
  }

  async #ofKey(text: string): Promise<Principal | null> {
    const [, id, secret] = /^mk\.(key-[0-9a-f]{32})\.([0-9a-f]{64})$/.exec(text) ?? [];
    if (!id || !secret) return null;
    const key = this.#keys.get(id) ?? (await this.#storedKey(id));
    const given = Buffer.from(sha256(secret));
    if (!key || !timingSafeEqual(given, Buffer.from(key.hash))) return null;
    return this.#keyHolder(key);
  }

  async #storedKey(id: string): Promise<ApiKey | undefined> {
    try {
      const doc = await this.#options.desk.store.get(apiKeyCollection.name, id);
      if (!doc) return undefined;
      this.#keys.set(id, doc as unknown as ApiKey);
      return doc as unknown as ApiKey;
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  }

  #keyHolder(key: ApiKey | undefined): Principal | null {
    if (!key || Date.parse(key.expires_at) <= this.#now()) return null;
    // A name of people never holds a colon: a key cannot pass for its namesake.
    return {
      name: `key:${key.name}`,
      role: null,
      permissions: new Set(key.permissions),
      via: "key",
      keyId: key.id,
    };
  }

  async #note(
    username: string,
    action: string,
    result: "ok" | "refused",
    { address, cause }: { address: string; cause: string },
  ): Promise<void> {
    const { desk } = this.#options;
    if (!desk.store.up) return;
    const at = isoNow(desk);
    const object = `user/${username}`;
    const about = { at, actor: username, action, object, result, request_id: cause, detail: { address } };
    await desk.audit.record(about);
  }

  #now(): number {
    return this.#options.desk.now();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function knownOf({ id, role, disabled, token_version, created_at }: User): Known {
  return { username: id, role, disabled, token_version, created_at };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && (error.code === "unavailable" || error.code === "timeout");
}
