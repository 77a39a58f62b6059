import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Store } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import { onBothStores } from "./both-stores.ts";
import { meta, process, storeWith } from "./entity-subject.ts";

const patience = { timeout: 10_000 };
const announced = { type: "ANNOUNCED" } as const;
/** Whoever shares a store waits this out before it takes over from a process that is gone. */
const brief = { leaseMs: 100, pollMs: 20 };

onBothStores("an effect", (open) => {
  let store: Store;
  let address: string;
  const running: { effects: { stop(): Promise<void> } }[] = [];
  const live = (...args: Parameters<typeof process>) => {
    const one = process(...args);
    one.effects.start();
    running.push(one);
    return one;
  };
  beforeEach(async () => {
    ({ store, address } = await open());
  });
  afterEach(async () => {
    for (const { effects } of running.splice(0)) await effects.stop();
    await store.close();
  });
  const nothingLeft = () =>
    vi.waitFor(async () => expect(await store.count("outstanding")).toBe(0), patience);

  it("is performed after the swap, and its result comes back as an event", async () => {
    const keys: string[] = [];
    const { host } = live(store, async (key, params) => {
      keys.push(`${key} ${params.to} ${(await store.get("requests", "r"))?.status}`);
      return announced;
    });
    expect(await host.create("r", { id: "r", by: "ana" }, meta)).toMatchObject({ status: "pending" });
    await nothingLeft();
    expect(keys).toEqual(["request/r/1/0 all pending"]);
    expect(await host.get("r")).toMatchObject({ status: "announced", version: 2 });
  });

  it("is performed at once, not when somebody looks for what is outstanding", async () => {
    const { host, effects } = live(store, async () => announced, { pollMs: 3_600_000, leaseMs: 3_600_000 });
    await effects.sweep();
    await host.create("r", { id: "r", by: "ana" }, meta);
    await nothingLeft();
    expect(await host.get("r")).toMatchObject({ status: "announced" });
  });

  it("happens after the restart, with the same key, when the process died between swap and effect", async () => {
    const before = process(store, async () => announced, brief);
    await before.host.create("r", { id: "r", by: "ana" }, meta);
    await store.close();
    ({ store } = await open(address));
    const keys: string[] = [];
    const after = live(
      store,
      async (key) => {
        keys.push(key);
        return announced;
      },
      brief,
    );
    await nothingLeft();
    expect(keys).toEqual(["request/r/1/0"]);
    expect(await after.host.get("r")).toMatchObject({ status: "announced" });
  });

  it("that was told, but not crossed out before the crash, changes nothing when it is performed again", async () => {
    const before = process(store, async () => announced, brief);
    await before.host.create("r", { id: "r", by: "ana" }, meta);
    await before.host.tell("r", { type: "GRANT" }, meta);
    const after = live(store, async () => announced, brief);
    await nothingLeft();
    expect(await after.host.get("r")).toMatchObject({ status: "granted", version: 2 });
  });

  it("of a lost swap never happens", async () => {
    const keys: string[] = [];
    const announce = async (key: string) => {
      keys.push(key);
      return undefined;
    };
    const [a, b] = [live(store, announce), live(store, announce)];
    const ids = Array.from({ length: 30 }, (_, n) => `r${n}`);
    const made = await Promise.all(
      ids.flatMap((id) => [a, b].map(({ host }) => host.createUnique(id, { id, by: "ana" }, meta))),
    );
    expect(made.filter(Boolean)).toHaveLength(30);
    await nothingLeft();
    expect(keys.toSorted()).toEqual(ids.map((id) => `request/${id}/1/0`).toSorted());
  });

  it("that fails is tried again with the same key until it succeeds", async () => {
    const keys: string[] = [];
    const { host } = live(
      store,
      async (key) => {
        if (keys.push(key) < 3) throw new Error("no answer");
        return announced;
      },
      { backoffMs: () => 1 },
    );
    await host.create("r", { id: "r", by: "ana" }, meta);
    await nothingLeft();
    expect(keys).toEqual(Array(3).fill("request/r/1/0"));
    expect(await host.get("r")).toMatchObject({ status: "announced" });
  });

  it("that keeps failing is given up, kept with its reason, and the machine is told", async () => {
    let tries = 0;
    const fail = async () => {
      tries += 1;
      throw new Error("never");
    };
    const { host } = live(store, fail, { attempts: 3, backoffMs: () => 1 });
    await host.create("r", { id: "r", by: "ana" }, meta);
    await vi.waitFor(
      async () => expect(await store.count("outstanding", { where: { at: null } })).toBe(1),
      patience,
    );
    expect(tries).toBe(3);
    expect(await store.get("outstanding", "request/r/1/0")).toMatchObject({ attempts: 3, error: "never" });
    expect(await host.get("r")).toMatchObject({ status: "broken" });
  });

  it("does not ask the world twice because its result could not be told", async () => {
    let asked = 0;
    let refusals = 2;
    const flaky = storeWith(store, {
      commit: (commit) =>
        commit.doc.status === "announced" && refusals-- > 0
          ? Promise.reject(new DomainError("unavailable", "down"))
          : store.commit(commit),
    });
    const announce = async () => {
      asked += 1;
      return announced;
    };
    const { host } = live(flaky, announce, { backoffMs: () => 1 });
    await host.create("r", { id: "r", by: "ana" }, meta);
    await nothingLeft();
    expect(asked).toBe(1);
    expect(await host.get("r")).toMatchObject({ status: "announced" });
  });

  it("is claimed by one of two processes when its first one is gone", async () => {
    const dead = process(store, async () => undefined, { now: () => 1_000 });
    for (let n = 0; n < 20; n++) await dead.host.create(`r${n}`, { id: `r${n}`, by: "ana" }, meta);
    const keys: string[] = [];
    const announce = async (key: string) => {
      keys.push(key);
      return undefined;
    };
    const shared = storeWith(store, { kind: "mongodb" });
    const clock = { now: 5_000 };
    const both = [
      live(shared, announce, { now: () => clock.now }),
      live(shared, announce, { now: () => clock.now }),
    ];
    await Promise.all(both.map(({ effects }) => effects.sweep()));
    expect(keys).toEqual([]);
    clock.now = 11_001;
    await Promise.all(both.map(({ effects }) => effects.sweep()));
    await nothingLeft();
    expect(new Set(keys).size).toBe(20);
    expect(keys).toHaveLength(20);
  });

  it("waits its turn when many are decided at once, beyond what memory holds", async () => {
    let atOnce = 0;
    let most = 0;
    let done = 0;
    const { host } = live(
      store,
      async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        done += 1;
        return undefined;
      },
      { concurrency: 4, queue: 10, leaseMs: 300, pollMs: 10 },
    );
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => host.create(`r${n}`, { id: `r${n}`, by: "ana" }, meta)),
    );
    await nothingLeft();
    expect(most).toBeLessThanOrEqual(4);
    expect(done).toBeGreaterThanOrEqual(60);
  });
});
