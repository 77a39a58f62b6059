/** The whole platform behind its gateway on a free port, in any mode, on a store that can be taken away. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socCollections } from "../../../actors/soc/collections.ts";
import { Platform } from "../../../actors/soc/platform.ts";
import type { Outside } from "../../../actors/soc/response-work.ts";
import { guardedCaller } from "../../../drivers/http-adapter/guarded-call.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { AdminFile } from "../../../drivers/passwords/kept-admin.ts";
import { ScryptPasswords } from "../../../drivers/passwords/scrypt.ts";
import { MemoryStore } from "../../../drivers/store/memory.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { Metrics } from "../../../gateway/metrics.ts";
import { openSoc } from "../../../gateway/soc/service.ts";
import type { Mode } from "../../../machines/soc/modes.ts";
import type { Permission, Role } from "../../../machines/soc/roles.ts";

export interface RunningOptions {
  mode?: Mode;
  store?: Store;
  limits?: boolean;
  now?: () => number;
  checkReplies?: boolean;
  /** Adapters; none when left out. */
  outside?: Partial<Outside>;
  /** Of the wall clock; `now` is the limits' own. */
  clock?: () => number;
}

const nothingOutside: Outside = {
  edr: null,
  notifier: null,
  callGuarded: guardedCaller({ schemes: ["http:", "https:"], allowPrivate: true, ownPorts: () => [] }),
};

/** Cheap ones that count how often a password is really compared. */
class CountedPasswords extends ScryptPasswords {
  checks = 0;

  override matches(given: string, hash: string): Promise<boolean> {
    if (hash.startsWith("scrypt$")) this.checks += 1;
    return super.matches(given, hash);
  }
}

export const adminPassword = "the first password";
export const password = "a password of ten";

export async function startPlatform(options: RunningOptions = {}) {
  const home = await mkdtemp(join(tmpdir(), "minaret-soc-gateway-"));
  const log = openLog("silent");
  const store = options.store ?? new MemoryStore(socCollections);
  await store.open();
  const keys = new MemoryKeys();
  const passwords = new CountedPasswords({ N: 2 ** 8, r: 8, p: 1 });
  const platform = new Platform({
    mode: options.mode ?? "real",
    ...{ store, keys, log, adminPassword },
    passwords,
    adminFile: new AdminFile(null),
    announce: () => {},
    outside: { ...nothingOutside, ...options.outside },
    ...(options.clock && { now: options.clock }),
  });
  await platform.firstAdmin.open();
  await platform.identity.open();
  platform.desk.effects.start();
  platform.desk.timers.start();
  const gateway = await openSoc({
    ...{ platform, log, metrics: new Metrics(), pages: join(home, "no-pages") },
    limits: options.limits ?? false,
    checkReplies: options.checkReplies ?? true,
    listeners: [{ tls: false, host: "127.0.0.1", port: 0 }],
    ...(options.now && { now: options.now }),
  });
  const url = gateway.urls[0]!;

  async function call(
    method: string,
    path: string,
    { body, token, headers = {} }: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
  ) {
    const reply = await fetch(
      path.startsWith("/health") || path === "/ready" ? url + path : `${url}/api/v1${path}`,
      {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
    );
    return {
      status: reply.status,
      headers: reply.headers,
      body: (await reply.json()) as Record<string, unknown>,
    };
  }

  async function login(username = "admin", secret = adminPassword): Promise<string> {
    const { body, status } = await call("POST", "/auth/token", { body: { username, password: secret } });
    if (status !== 200) throw new Error(`login of ${username}: ${status} ${JSON.stringify(body)}`);
    return body.access_token as string;
  }

  /** A user of the role, and a token for them; made past the gateway, which may be in any mode. */
  async function userOf(role: Role, username: string = role): Promise<string> {
    await platform.actors.users.create({ username, role, password }, { actor: "system" });
    const user = (await platform.actors.users.find(username))!;
    return platform.identity.renewed(user);
  }

  async function keyWith(permissions: Permission[], name = permissions.join(" ")): Promise<string> {
    return (await platform.actors.apiKeys.create({ name, permissions }, { actor: "admin" })).key;
  }

  async function stop(): Promise<void> {
    await gateway.close(500);
    platform.identity.close();
    platform.firstAdmin.close();
    await Promise.all([platform.desk.effects.stop(), platform.desk.timers.stop()]);
    await store.close();
    await rm(home, { recursive: true, force: true });
  }
  return { url, platform, store, keys, passwords, call, login, userOf, keyWith, stop };
}

export type RunningPlatform = Awaited<ReturnType<typeof startPlatform>>;
