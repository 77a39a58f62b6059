import { describe, expect, it } from "vitest";
import { createActor, SimulatedClock, setup } from "xstate";
import type { Start } from "../../actors/client.ts";
import { startResource } from "../../actors/resource.ts";
import { plantTree } from "../../actors/tree.ts";
import { child, type Diary, plant, quiet, settled, stateOf, tell } from "./supervisor-subject.ts";

/** Ends `afterMs` after it was asked to; never, when that is undefined. */
function polite(diary: Diary, clock: SimulatedClock, id: string, afterMs?: number): Start {
  const machine = setup({}).createMachine({
    initial: "up",
    states: {
      up: { on: { SHUTDOWN: "leaving" } },
      leaving: {
        entry: () => void diary.push(`${id} asked at ${clock.now()}`),
        ...(afterMs === undefined ? {} : { after: { [afterMs]: "gone" } }),
      },
      gone: { type: "final" },
    },
  });
  return ({ inspect }) => ({
    ref: createActor(machine, { inspect, clock }).start(),
    close: () => void diary.push(`${id} closed at ${clock.now()}`),
  });
}

describe("draining", () => {
  it("stops children from last to first and ends with code 0", async () => {
    const diary: Diary = [];
    const { tree } = await plant([child(diary, "a"), child(diary, "b"), child(diary, "c")]);
    diary.length = 0;
    await expect(tree.drain()).resolves.toEqual({ code: 0, reason: "drained" });
    expect(diary).toEqual(["-c", "-b", "-a"]);
    expect(tree.status().map(({ state }) => state)).toEqual(["stopped", "stopped", "stopped"]);
  });

  it("asks a child that takes it to end, and waits for it before the next", async () => {
    const diary: Diary = [];
    const clock = new SimulatedClock();
    const a = { id: "a", restart: "permanent", start: polite(diary, clock, "a", 100) } as const;
    const b = { id: "b", restart: "permanent", start: polite(diary, clock, "b", 200) } as const;
    const { tree, pass } = await plant([a, b], { clock });
    const over = tree.drain();
    await pass(200);
    await pass(100);
    await over;
    expect(diary).toEqual(["b asked at 0", "b closed at 200", "a asked at 200", "a closed at 300"]);
  });

  it("gives a child the smaller of its own limit and what is left of the budget", async () => {
    const diary: Diary = [];
    const clock = new SimulatedClock();
    const stubborn = (id: string, shutdownMs: number) =>
      ({ id, restart: "permanent", shutdownMs, start: polite(diary, clock, id) }) as const;
    const { tree, pass } = await plant([stubborn("a", 9_000), stubborn("b", 9_000), stubborn("c", 1_000)], {
      clock,
    });
    const over = tree.drain(3_000);
    await pass(1_000);
    await pass(2_000);
    await pass(0);
    await over;
    expect(diary).toEqual([
      "c asked at 0",
      "c closed at 1000",
      "b asked at 1000",
      "b closed at 3000",
      "a asked at 3000",
      "a closed at 3000",
    ]);
  });

  it("reaches into nested supervisors with the same budget", async () => {
    const diary: Diary = [];
    const clock = new SimulatedClock();
    const inner = { id: "x", restart: "permanent", start: polite(diary, clock, "x") } as const;
    const part = { id: "part", strategy: "one_for_one", children: [child(diary, "w"), inner] } as const;
    const { tree, pass } = await plant([child(diary, "a"), part], { clock });
    diary.length = 0;
    const over = tree.drain(500);
    await pass(500);
    await expect(over).resolves.toMatchObject({ code: 0 });
    expect(diary).toEqual(["x asked at 0", "x closed at 500", "-w", "-a"]);
  });

  it("is not held up by a close that never resolves", async () => {
    const diary: Diary = [];
    const hangs: Start = async (context) => ({
      ...(await child(diary, "b").start(context)),
      close: () => new Promise(() => {}),
    });
    const { tree, pass } = await plant([child(diary, "a"), child(diary, "b", { start: hangs })]);
    const over = tree.drain(1_000);
    await pass(1_000);
    await over;
    expect(diary.at(-1)).toBe("-a");
  });

  it("has no more time for a child that fell before and still closes", async () => {
    const diary: Diary = [];
    const hangs: Start = async (context) => ({
      ...(await child(diary, "b").start(context)),
      close: () => new Promise(() => {}),
    });
    const { tree, pass } = await plant([child(diary, "a"), child(diary, "b", { start: hangs })]);
    await tell(tree, "b", "BOOM");
    const over = tree.drain(1_000);
    await pass(1_000);
    await over;
    expect(diary).toEqual(["+a", "+b", "-a"]);
  });

  it("works while the tree still boots, and closes what arrives late", async () => {
    const diary: Diary = [];
    const arrival = Promise.withResolvers<void>();
    const late: Start = async (context) => {
      await arrival.promise;
      return child(diary, "late").start(context);
    };
    const clock = new SimulatedClock();
    const children = [child(diary, "a"), child(diary, "late", { start: late, shutdownMs: 100 })];
    const tree = plantTree(() => ({ id: "root", strategy: "rest_for_one", children }), { log: quiet, clock });
    await settled();
    const over = tree.drain();
    await settled();
    clock.increment(100);
    await expect(over).resolves.toEqual({ code: 0, reason: "drained" });
    expect(diary).toEqual(["+a", "-a"]);
    arrival.resolve();
    await settled();
    expect(diary).toEqual(["+a", "-a", "+late", "-late"]);
  });

  it("may be asked for twice", async () => {
    const diary: Diary = [];
    const { tree } = await plant([child(diary, "a")]);
    await Promise.all([tree.drain(), tree.drain()]);
    expect(diary).toEqual(["+a", "-a"]);
  });

  it("is how siblings are stopped by a strategy, too", async () => {
    const diary: Diary = [];
    const clock = new SimulatedClock();
    const b = { id: "b", restart: "permanent", start: polite(diary, clock, "b", 70) } as const;
    const { tree, pass } = await plant([child(diary, "a"), b], { strategy: "one_for_all", clock });
    await tell(tree, "a", "BOOM");
    await pass(70);
    expect(diary).toEqual(["+a", "-a", "b asked at 0", "b closed at 70", "+a"]);
    await settled();
    expect(stateOf(tree, "b")).toBe("running");
    await Promise.all([tree.drain(), pass(70)]);
  });
});

describe("children that come and go", () => {
  it("can be added to a supervisor and removed from it", async () => {
    const diary: Diary = [];
    const part = { id: "part", strategy: "one_for_one", children: [] } as const;
    const { tree } = await plant([part]);
    tree.addChild("part", child(diary, "x"));
    await settled();
    expect(stateOf(tree, "part/x")).toBe("running");
    expect(() => tree.addChild("part", child(diary, "x"))).toThrow("exists already");
    tree.removeChild("part/x");
    await settled();
    expect(diary).toEqual(["+x", "-x"]);
    expect(stateOf(tree, "part/x")).toBeUndefined();
    expect(() => tree.removeChild("part/x")).toThrow("There is no");
    await expect(tree.client("part/x").ask({ type: "ADD" } as never)).rejects.toThrow("There is no part/x");
    await tree.drain();
  });

  it("are forgotten when they end for good", async () => {
    const diary: Diary = [];
    const { tree } = await plant([]);
    tree.addChild("", child(diary, "x", { restart: "temporary" }));
    await settled();
    await tell(tree, "x", "BOOM");
    expect(tree.status()).toEqual([]);
    tree.addChild("", child(diary, "x"));
    await settled();
    expect(stateOf(tree, "x")).toBe("running");
    await tree.drain();
  });
});

describe("a resource", () => {
  it("is opened before its successors and closed when asked to end", async () => {
    const diary: Diary = [];
    const server = startResource({
      open: async () => {
        await settled();
        diary.push("open");
      },
      close: () => void diary.push("close"),
    });
    const { tree } = await plant([{ id: "server", restart: "permanent", start: server }, child(diary, "b")]);
    const [ref] = tree.actors().filter(({ path }) => path === "server");
    expect(ref?.ref.getSnapshot().value).toBe("up");
    await tree.drain();
    expect(diary.slice(0, 4)).toEqual(["open", "+b", "-b", "close"]);
  });

  it("that reports a failure is closed and opened again", async () => {
    const diary: Diary = [];
    let fail: (error: unknown) => void = () => {};
    const server = startResource({
      open: (_, onFailure) => {
        diary.push("open");
        fail = onFailure;
      },
      close: () => void diary.push("close"),
    });
    const { tree } = await plant([{ id: "server", restart: "permanent", start: server }]);
    fail(new Error("address lost"));
    await settled();
    expect(diary).toEqual(["open", "close", "open"]);
    expect(tree.crashes()[0]).toMatchObject({ path: "server", reason: "address lost", state: "up" });
    await tree.drain();
  });

  it("that cannot be opened is a failed start and holds nothing", async () => {
    const diary: Diary = [];
    const server = startResource({
      open: () => Promise.reject(new Error("port in use")),
      close: () => void diary.push("close"),
    });
    const { tree } = await plant([{ id: "server", restart: "temporary", start: server }]);
    expect(tree.failures()).toEqual([{ component: "server", error: "port in use" }]);
    expect(diary).toEqual(["close"]);
    await tree.drain();
  });
});
