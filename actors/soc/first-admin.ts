/** The first administrator: made once where there is nobody yet, and able to log in to a showcase without a store. */
import { randomBytes } from "node:crypto";
import type { AdminFile } from "../../drivers/passwords/kept-admin.ts";
import type { Passwords } from "../../drivers/passwords/passwords.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Desk } from "./desk.ts";
import { type Users, userCollection } from "./users.ts";

export const firstAdmin = "admin";

export interface FirstAdminOptions {
  desk: Desk;
  users: Users;
  passwords: Passwords;
  file: AdminFile;
  /** From the configuration; made when there is none. */
  given: string | undefined;
  /** The administrator must be able to log in although the store is down. */
  withoutStore: boolean;
  /** A password that was made just now, for the console. */
  announce(password: string): void;
}

/** A hash, and its password where that was made just now. */
interface Credential {
  hash: string;
  password: string | null;
}

const asker = { actor: "system" };

export class FirstAdmin {
  readonly #options: FirstAdminOptions;
  #ensuring: Promise<void> = Promise.resolve();
  #unlisten = () => {};

  constructor(options: FirstAdminOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { desk, withoutStore } = this.#options;
    this.#unlisten = desk.store.listen((up) => up && void this.#ensure());
    if (desk.store.up) await this.#ensure();
    else if (withoutStore) this.#announce(await this.#credential());
  }

  close(): void {
    this.#unlisten();
  }

  /** When what a store that came up has led to is done. */
  settled(): Promise<void> {
    return this.#ensuring;
  }

  /** The hash to check a login against while there is no store to ask. */
  hash(): string | null {
    return this.#options.file.read()?.hash ?? null;
  }

  /** A person has the password; until then the next start makes another one. */
  shown(): void {
    const kept = this.#options.file.read();
    if (kept && !kept.seen) this.#options.file.write({ ...kept, seen: true });
  }

  /** Whoever changes the administrator's password changes what is kept beside the store. */
  keep(hash: string): void {
    const kept = this.#options.file.read();
    if (kept?.hash !== hash) this.#options.file.write({ hash, seen: true });
  }

  #ensure(): Promise<void> {
    const { log } = this.#options.desk.effects;
    this.#ensuring = this.#ensuring
      .then(() => this.#ensureOnce())
      .catch((error: unknown) => log.warn({ err: error }, "the first administrator could not be looked up"));
    return this.#ensuring;
  }

  async #ensureOnce(): Promise<void> {
    const { desk, users, file } = this.#options;
    const anybody = (await desk.store.count(userCollection.name, {}, 1)) > 0;
    const before = file.read();
    if (anybody) {
      // Made in a start that was cut short before anybody saw it: the password is lost, its owner is not.
      if (before && !before.seen) await this.#replace(before.hash);
      return;
    }
    const made = await this.#credential();
    try {
      await users.create({ username: firstAdmin, role: "admin", hash: made.hash }, asker);
      this.#announce(made);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== "conflict") throw error;
      desk.effects.log.info("another process made the first administrator");
    }
  }

  async #replace(lost: string): Promise<void> {
    const { users } = this.#options;
    const admin = await users.find(firstAdmin);
    if (admin?.password !== lost) return;
    const made = await this.#credential();
    if (await users.replaceHash(firstAdmin, lost, made.hash, asker)) this.#announce(made);
  }

  /** Said only of a password that works. */
  #announce({ password }: Credential): void {
    if (password !== null) this.#options.announce(password);
  }

  /** What is kept, if its password is known to somebody; else a password made now. On disk before it is used. */
  async #credential(): Promise<Credential> {
    const { file, given, passwords } = this.#options;
    const kept = file.read();
    if (given !== undefined) {
      if (kept?.seen && (await passwords.matches(given, kept.hash)))
        return { hash: kept.hash, password: null };
      const hash = await passwords.hash(given);
      file.write({ hash, seen: true });
      return { hash, password: null };
    }
    if (kept?.seen) return { hash: kept.hash, password: null };
    const password = randomBytes(15).toString("base64url");
    const hash = await passwords.hash(password);
    file.write({ hash, seen: false });
    return { hash, password };
  }
}
