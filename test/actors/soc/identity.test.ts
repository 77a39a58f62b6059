import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { socCollections } from "../../../actors/soc/collections.ts";
import { Platform } from "../../../actors/soc/platform.ts";
import { guardedCaller } from "../../../drivers/http-adapter/guarded-call.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { AdminFile } from "../../../drivers/passwords/kept-admin.ts";
import { ScryptPasswords } from "../../../drivers/passwords/scrypt.ts";
import { MemoryStore } from "../../../drivers/store/memory.ts";
import { NoStore } from "../../../drivers/store/no-store.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { Mode } from "../../../machines/soc/modes.ts";

const keys = new MemoryKeys();
const log = pino({ level: "silent" });
const passwords = new ScryptPasswords({ N: 2 ** 6, r: 8, p: 1 });
const asker = { actor: "admin" };
const from = { address: "127.0.0.1", cause: "req" };
const outside = {
  edr: null,
  notifier: null,
  callGuarded: guardedCaller({ schemes: ["http:"], allowPrivate: true, ownPorts: () => [] }),
};

let store: MemoryStore;
beforeEach(async () => {
  store = new MemoryStore(socCollections);
  await store.open();
});

interface Start {
  on?: Store;
  file?: AdminFile;
  mode?: Mode;
  given?: string;
  clock?: () => number;
}

/** One process on the store; what it announced is kept. */
async function boot({ on = store, file = new AdminFile(null), mode = "real", given, clock }: Start = {}) {
  const announced: string[] = [];
  const platform = new Platform({
    ...{ mode, store: on, keys, passwords, adminFile: file, adminPassword: given, log, outside },
    announce: (password) => void announced.push(password),
    ...(clock && { now: clock }),
  });
  await platform.firstAdmin.open();
  await platform.identity.open();
  const login = (username: string, password: string) =>
    platform.identity.login({ username, password }, from).then(
      (token) => token,
      (error: { code: string }) => `refused: ${error.code}`,
    );
  const who = (text: string) =>
    platform.identity.admit({ via: "token", text }).then(
      ({ name, role }) => `${name} ${role}`,
      (error: { code: string }) => error.code,
    );
  const close = () => {
    platform.identity.close();
    platform.firstAdmin.close();
  };
  return { platform, announced, login, who, close };
}

describe("the first administrator", () => {
  test("is made on a fresh store with a password that is said once, and never again", async () => {
    const file = new AdminFile(null);
    const first = await boot({ file });
    expect(first.announced).toHaveLength(1);
    expect(first.announced[0]!.length).toBeGreaterThanOrEqual(20);
    first.platform.firstAdmin.shown();
    expect(await first.login("admin", first.announced[0]!)).not.toContain("refused");
    first.close();
    const second = await boot({ file });
    expect(second.announced).toEqual([]);
    expect(await second.login("admin", first.announced[0]!)).not.toContain("refused");
    second.close();
  });

  test("gets another password when a start was cut short before anybody saw the first", async () => {
    const file = new AdminFile(null);
    const first = await boot({ file });
    first.close();
    const second = await boot({ file });
    expect(second.announced).toHaveLength(1);
    expect(await second.login("admin", first.announced[0]!)).toBe("refused: unauthorized");
    expect(await second.login("admin", second.announced[0]!)).not.toContain("refused");
    second.close();
  });

  test("has the password of the configuration, which is not said", async () => {
    const { announced, login, close } = await boot({ given: "from the environment" });
    expect(announced).toEqual([]);
    expect(await login("admin", "from the environment")).not.toContain("refused");
    close();
  });

  test("is left alone where there are users already", async () => {
    const first = await boot({ given: "from the environment" });
    await first.platform.actors.users.change("admin", { password: "changed since then" }, asker);
    first.close();
    const second = await boot({ given: "from the environment", file: new AdminFile(null) });
    expect(await second.login("admin", "from the environment")).toBe("refused: unauthorized");
    expect(await second.login("admin", "changed since then")).not.toContain("refused");
    second.close();
  });

  test("is made as soon as a store that was down comes up", async () => {
    await store.close();
    const { announced, platform, login, close } = await boot();
    expect(announced).toEqual([]);
    await store.open();
    await platform.firstAdmin.settled();
    expect(announced).toHaveLength(1);
    expect(await login("admin", announced[0]!)).not.toContain("refused");
    close();
  });

  test("of two processes at once is made by one, and no password is said that does not work", async () => {
    const both = await Promise.all([boot({ on: store }), boot({ on: store })]);
    const said = both.flatMap(({ announced }) => announced);
    expect(said.length).toBeGreaterThan(0);
    for (const password of said) expect(await both[0].login("admin", password)).not.toContain("refused");
    for (const { close } of both) close();
  });

  test("logs in to a showcase without a store, and that session counts nowhere else", async () => {
    const { announced, login, who, close } = await boot({ mode: "dummy", on: new NoStore() });
    const token = await login("admin", announced[0]!);
    expect(await who(token)).toBe("admin admin");
    close();
    const real = await boot({ given: "another password" });
    expect(await real.who(token)).toBe("unauthorized");
    await store.close();
    expect(await real.who(token)).toBe("unauthorized");
    real.close();
  });
});

describe("while the store is down", () => {
  test("the last known of users and keys counts, and a login is unavailable", async () => {
    let now = Date.now();
    const { platform, login, who, close } = await boot({ given: "from the environment", clock: () => now });
    // Long after users were read: the token of somebody removed since then must not speak for itself.
    now += 5_000;
    const { users, apiKeys } = platform.actors;
    await users.create(
      { username: "night-shift", role: "analyst", password: "night-shift's password" },
      asker,
    );
    const token = await login("night-shift", "night-shift's password");
    const { key } = await apiKeys.create({ name: "k", permissions: ["alerts:read"] }, asker);
    await users.create({ username: "gone", role: "manager", password: "gone for good" }, asker);
    const removed = await login("gone", "gone for good");
    await users.remove("gone", asker);
    await store.close();
    expect(await who(token)).toBe("night-shift analyst");
    expect((await platform.identity.admit({ via: "key", text: key })).name).toBe("key:k");
    expect(await who(removed)).toBe("unauthorized");
    expect(await login("night-shift", "night-shift's password")).toBe("refused: unavailable");
    close();
  });

  test("a process that never saw the store takes the token's own word", async () => {
    const first = await boot({ given: "from the environment" });
    const token = await first.login("admin", "from the environment");
    first.close();
    await store.close();
    const second = await boot();
    expect(await second.who(token)).toBe("admin admin");
    second.close();
  });
});

describe("two processes on one store", () => {
  test("hear of each other's changes at the next refresh, and of new users at once", async () => {
    const one = await boot({ given: "from the environment" });
    const two = await boot();
    const { users } = one.platform.actors;
    await users.create(
      { username: "night-shift", role: "analyst", password: "night-shift's password" },
      asker,
    );
    const token = await one.login("night-shift", "night-shift's password");
    expect(await two.who(token)).toBe("night-shift analyst");
    await users.change("night-shift", { disabled: true }, asker);
    await two.platform.identity.refresh();
    expect(await two.who(token)).toBe("unauthorized");
    const admin = await one.login("admin", "from the environment");
    expect(await two.who(admin)).toBe("admin admin");
    const principal = await one.platform.identity.admit({ via: "token", text: admin });
    await one.platform.identity.logout(principal, from);
    await two.platform.identity.refresh();
    expect(await two.who(admin)).toBe("unauthorized");
    one.close();
    two.close();
  });

  test("a logout is forgotten once its token has run out anyway", async () => {
    let now = Date.now();
    const { platform, login, close } = await boot({ given: "from the environment", clock: () => now });
    const principal = await platform.identity.admit({
      via: "token",
      text: await login("admin", "from the environment"),
    });
    await platform.identity.logout(principal, from);
    expect(await store.count("revoked_tokens")).toBe(1);
    now += 3_601_000;
    await platform.identity.refresh();
    expect(await store.count("revoked_tokens")).toBe(0);
    close();
  });
});
