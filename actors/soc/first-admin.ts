/** The first administrator: made once where there is nobody yet, and able to log in to a showcase without a store. */
import { randomBytes } from "node:crypto";
import type { AdminFile } from "../../drivers/passwords/kept-admin.ts";
import type { Passwords } from "../../drivers/passwords/passwords.ts";
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
    else if (withoutStore) await this.#hash();
  }

  close(): void {
    this.#unlisten();
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
    const hash = await this.#hash();
    await users.create({ username: firstAdmin, role: "admin", hash }, asker).catch((error: unknown) => {
      desk.effects.log.info({ err: error }, "another process made the first administrator");
    });
  }

  async #replace(lost: string): Promise<void> {
    const { users } = this.#options;
    const admin = await users.find(firstAdmin);
    if (admin?.password !== lost) return;
    await users.replaceHash(firstAdmin, lost, await this.#hash(), asker);
  }

  /** What is kept, if its password is known to somebody; else of a password made now. */
  async #hash(): Promise<string> {
    const { file, given, passwords, announce } = this.#options;
    const kept = file.read();
    if (given !== undefined) {
      if (kept?.seen && (await passwords.matches(given, kept.hash))) return kept.hash;
      const hash = await passwords.hash(given);
      file.write({ hash, seen: true });
      return hash;
    }
    if (kept?.seen) return kept.hash;
    const password = randomBytes(15).toString("base64url");
    const hash = await passwords.hash(password);
    file.write({ hash, seen: false });
    announce(password);
    return hash;
  }
}
