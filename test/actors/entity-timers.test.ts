import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Store } from "../../drivers/store/store.ts";
import { onBothStores } from "./both-stores.ts";
import { meta, process, storeWith } from "./entity-subject.ts";

const patience = { timeout: 10_000 };
const quiet = async () => undefined;

onBothStores("a deadline", (open) => {
  let store: Store;
  let address: string;
  const clock = { now: 0 };
  const running: { timers: { stop(): Promise<void> } }[] = [];
  const live = (on: Store, options = {}) => {
    const one = process(on, quiet, { now: () => clock.now, ...options });
    one.timers.start();
    running.push(one);
    return one;
  };
  const stopAll = async () => {
    for (const { timers } of running.splice(0)) await timers.stop();
  };
  beforeEach(async () => {
    clock.now = 1_000_000;
    ({ store, address } = await open());
  });
  afterEach(async () => {
    vi.useRealTimers();
    await stopAll();
    await store.close();
  });
  const request = (id: string, expires_at: number | null) => ({ id, by: "ana", expires_at });

  it("is told when it has passed, not a millisecond before, and once", async () => {
    const { host, timers } = live(store);
    await host.create("r", request("r", 1_005_000), meta);
    clock.now = 1_004_999;
    await timers.sweep();
    expect(await host.fellDue("r")).toBe(1_005_000);
    expect(await host.get("r")).toMatchObject({ status: "pending", version: 1 });
    clock.now = 1_005_000;
    await timers.sweep();
    await timers.sweep();
    expect(await host.get("r")).toMatchObject({ status: "lapsed", version: 2 });
    expect((await store.find("notes")).items).toMatchObject([{ text: "lapsed", actor: "system" }]);
  });

  it("that passed while the process was down is told at the next start", async () => {
    const before = live(store);
    await before.host.create("r", request("r", 1_005_000), meta);
    await before.host.create("later", request("later", 9_000_000), meta);
    await stopAll();
    await store.close();
    clock.now = 2_000_000;
    ({ store } = await open(address));
    const after = live(store);
    await vi.waitFor(
      async () => expect(await after.host.get("r")).toMatchObject({ status: "lapsed" }),
      patience,
    );
    expect(await after.host.get("later")).toMatchObject({ status: "pending" });
  });

  it("is no longer told when the record was decided in time", async () => {
    const { host, timers } = live(store);
    await host.create("r", request("r", 1_005_000), meta);
    await host.tell("r", { type: "GRANT" }, meta);
    clock.now = 2_000_000;
    await timers.sweep();
    expect(await host.get("r")).toMatchObject({ status: "granted", version: 2 });
  });

  it("wakes the process at its own time, without waiting for the next look", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const { host, timers } = live(store, { now: Date.now, pollMs: 3_600_000 });
    await timers.sweep();
    const due = Date.now() + 700;
    await host.create("r", request("r", due), meta);
    await vi.advanceTimersByTimeAsync(699);
    expect(await host.get("r")).toMatchObject({ status: "pending" });
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await host.get("r")).toMatchObject({ status: "lapsed" }), patience);
  });

  it("is told once although two processes keep it", async () => {
    const both = [live(store), live(store)];
    const ids = Array.from({ length: 50 }, (_, n) => `r${n}`);
    await Promise.all(ids.map((id) => both[0]!.host.create(id, request(id, 1_005_000), meta)));
    clock.now = 1_006_000;
    await Promise.all(both.map(({ timers }) => timers.sweep()));
    for (const id of ids) expect(await both[1]!.host.get(id)).toMatchObject({ status: "lapsed", version: 2 });
    expect(await store.count("notes")).toBe(50);
  });

  it("among thousands at once is told with all the others, and the loop goes on meanwhile", async () => {
    const { host, timers } = live(store);
    const many = store.kind === "sqlite" ? 2_000 : 220;
    const ids = Array.from({ length: many }, (_, n) => `r${n}`);
    const create = (id: string) =>
      host.create(id, request(id, 1_000_001 + (Number(id.slice(1)) % 900)), meta);
    for (let n = 0; n < many; n += 20) await Promise.all(ids.slice(n, n + 20).map(create));
    clock.now = 1_005_000;
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 1);
    await timers.sweep();
    clearInterval(count);
    expect(await store.count("requests", { where: { status: "lapsed" } })).toBe(many);
    expect(turns).toBeGreaterThan(20);
  });

  it("that cannot be told does not hold up the others, and is not told again at once", async () => {
    let attempts = 0;
    const broken = storeWith(store, {
      commit: (commit) => {
        if (commit.doc.id !== "bad" || commit.version === 0) return store.commit(commit);
        attempts += 1;
        return Promise.reject(new Error("defect"));
      },
    });
    const { host, timers } = live(broken);
    await host.create("bad", request("bad", 1_000_500), meta);
    await host.create("good", request("good", 1_000_600), meta);
    clock.now = 1_001_000;
    await timers.sweep();
    expect(await host.get("good")).toMatchObject({ status: "lapsed" });
    const told = attempts;
    await timers.sweep();
    expect(attempts).toBe(told);
    clock.now += 60_000;
    await timers.sweep();
    expect(attempts).toBe(told + 1);
  });
});
