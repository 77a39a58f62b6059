import { describe, expect, it } from "vitest";
import { createActor, fromCallback, setup, spawnChild } from "xstate";
import type { Start } from "../../actors/client.ts";
import {
  child,
  type Diary,
  plant,
  type SubjectEvent,
  settled,
  stateOf,
  subject,
  tell,
} from "./supervisor-subject.ts";

const never: Start = () => new Promise(() => {});
const broken: Start = () => {
  throw new Error("no such device");
};

describe("backoff", () => {
  it("starts a child again at once, then after 50 ms doubled each time, up to 5 s", async () => {
    const diary: Diary = [];
    const { tree, clock, pass } = await plant([child(diary, "a", { backoff: { quietMs: 1e9 } })], {
      intensity: 1_000,
    });
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      await tell(tree, "a", "BOOM");
      const fell = clock.now();
      while (stateOf(tree, "a") !== "running") await pass(10);
      waits.push(clock.now() - fell);
    }
    expect(waits).toEqual([0, 50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    await tree.drain();
  });

  it("begins anew after ten quiet seconds", async () => {
    const diary: Diary = [];
    const { tree, pass } = await plant([child(diary, "a")]);
    await tell(tree, "a", "BOOM");
    await tell(tree, "a", "BOOM");
    expect(stateOf(tree, "a")).toBe("restarting");
    await pass(50);
    await pass(10_000);
    await tell(tree, "a", "BOOM");
    expect(stateOf(tree, "a")).toBe("running");
    await tree.drain();
  });

  it("spreads the waits by chance, never beyond the limit", async () => {
    const diary: Diary = [];
    const { tree, pass } = await plant([child(diary, "a")], { options: { random: () => 0 } });
    await tell(tree, "a", "BOOM");
    await tell(tree, "a", "BOOM");
    await pass(24);
    expect(stateOf(tree, "a")).toBe("restarting");
    await pass(1);
    expect(stateOf(tree, "a")).toBe("running");
    await tree.drain();
  });

  it("lets a child that is killed every 1.5 s come back for as long as one likes", async () => {
    const diary: Diary = [];
    const { tree, pass } = await plant([child(diary, "a", { backoff: { quietMs: 1_000 } })]);
    for (let kill = 0; kill < 100; kill++) {
      await tell(tree, "a", "BOOM");
      expect(stateOf(tree, "a")).toBe("running");
      await pass(1_500);
    }
    await tree.drain();
  });
});

describe("intensity", () => {
  it("counts only within the sliding window", async () => {
    const diary: Diary = [];
    const children = [child(diary, "a", { backoff: { quietMs: 0 } })];
    const { tree, pass } = await plant(children, { intensity: 2, periodMs: 1_000 });
    for (let round = 0; round < 10; round++) {
      await tell(tree, "a", "BOOM");
      await pass(500);
      expect(stateOf(tree, "a")).toBe("running");
    }
    await tell(tree, "a", "BOOM");
    await tell(tree, "a", "BOOM");
    expect(stateOf(tree, "a")).toBe("degraded");
    await tree.drain();
  });

  it("is each child's own: a sibling that keeps failing costs an essential one nothing", async () => {
    const diary: Diary = [];
    const flapping = child(diary, "a", { backoff: { quietMs: 0 } });
    const { tree } = await plant([flapping, child(diary, "b", { essential: true })], { intensity: 2 });
    for (let round = 0; round < 3; round++) await tell(tree, "a", "BOOM");
    await tell(tree, "b", "BOOM");
    expect(stateOf(tree, "a")).toBe("degraded");
    expect(stateOf(tree, "b")).toBe("running");
    await tree.drain();
  });
});

describe("an essential child beyond the intensity", () => {
  it("ends the tree with a non-zero code and its reason, siblings closed in reverse order", async () => {
    const diary: Diary = [];
    const children = [child(diary, "a"), child(diary, "b", { essential: true, backoff: { quietMs: 0 } })];
    const { tree } = await plant(children, { intensity: 2 });
    for (let round = 0; round < 3; round++) await tell(tree, "b", "BOOM");
    await expect(tree.finished).resolves.toEqual({ code: 1, reason: "b: boom" });
    expect(diary.slice(-2)).toEqual(["-b", "-a"]);
  });

  it("escalates through its supervisor to the root", async () => {
    const diary: Diary = [];
    const part = {
      id: "part",
      strategy: "one_for_one",
      intensity: 1,
      children: [child(diary, "a", { essential: true, backoff: { quietMs: 0 } })],
    } as const;
    const { tree, pass } = await plant([child(diary, "z"), part], { intensity: 1 });
    await tell(tree, "part/a", "BOOM");
    await tell(tree, "part/a", "BOOM");
    expect(stateOf(tree, "part/a")).toBe("running");
    expect(tree.status().find(({ path }) => path === "part")?.restarts).toBe(1);
    await tell(tree, "part/a", "BOOM");
    await tell(tree, "part/a", "BOOM");
    await pass(0);
    await expect(tree.finished).resolves.toEqual({ code: 1, reason: "part: a: boom" });
    expect(diary.at(-1)).toBe("-z");
  });

  it("does not loop for ever unnoticed when it fails slowly", async () => {
    const diary: Diary = [];
    const { tree, pass } = await plant([child(diary, "a", { essential: true })], { intensity: 5 });
    let over = false;
    void tree.finished.then(() => {
      over = true;
    });
    let rounds = 0;
    for (; rounds < 100 && !over; rounds++) {
      await tell(tree, "a", "BOOM");
      await pass(15_000);
    }
    expect(rounds).toBe(21);
  });

  it("escalates when its start never resolves", async () => {
    const { tree, pass } = await plant([], { intensity: 1 });
    tree.addChild("", { id: "a", restart: "permanent", essential: true, start: never });
    await pass(10_000);
    expect(stateOf(tree, "a")).toBe("restarting");
    await pass(10_000);
    await expect(tree.finished).resolves.toEqual({ code: 1, reason: "a: a did not start within 10000 ms" });
  });
});

describe("a child that is not essential", () => {
  it("becomes degraded beyond the intensity, is listed, and refuses asks with its error", async () => {
    const diary: Diary = [];
    const { tree, pass } = await plant([
      { id: "nfc", restart: "permanent", start: broken },
      child(diary, "b"),
    ]);
    await pass(2_000);
    for (let wait = 0; wait < 10; wait++) await pass(2_000);
    expect(stateOf(tree, "nfc")).toBe("degraded");
    expect(stateOf(tree, "b")).toBe("running");
    expect(diary).toEqual(["+b"]);
    expect(tree.failures()).toEqual([{ component: "nfc", error: "no such device" }]);
    await expect(tree.client("nfc").ask({ type: "X" } as never)).rejects.toMatchObject({
      code: "unavailable",
      message: "nfc is out of order: no such device",
    });
    await tree.drain();
  });

  it("is tried again after 30 s, then ever more seldom, and serves when it can", async () => {
    const diary: Diary = [];
    const tried: number[] = [];
    let works = false;
    const start: Start = (context) => {
      tried.push(clock.now());
      return works ? subject(diary, "a")(context) : broken(context);
    };
    const { tree, clock, pass } = await plant([], { intensity: 0 });
    tree.addChild("", { id: "a", restart: "permanent", start });
    await settled();
    for (let second = 0; second < 1_400; second++) await pass(1_000);
    expect(tried.map((at) => at / 1_000)).toEqual([0, 30, 90, 210, 450, 750, 1_050, 1_350]);
    works = true;
    await pass(300_000);
    expect(stateOf(tree, "a")).toBe("running");
    expect(tree.failures()).toEqual([]);
    await tree.drain();
  });
});

describe("starting", () => {
  it("goes in order, each child after the one before it is up", async () => {
    const diary: Diary = [];
    const slow: Start = async (context) => {
      diary.push("slow begins");
      await settled();
      return subject(diary, "slow")(context);
    };
    const { tree } = await plant([{ id: "slow", restart: "permanent", start: slow }, child(diary, "b")]);
    expect(diary).toEqual(["slow begins", "+slow", "+b"]);
    await tree.drain();
  });

  it.each(["one_for_one", "one_for_all", "rest_for_one"] as const)(
    "%s: a child that can never start takes no sibling down",
    async (strategy) => {
      const diary: Diary = [];
      const bad = { id: "bad", restart: "permanent", start: broken } as const;
      const { tree, pass } = await plant([child(diary, "a"), bad, child(diary, "b")], { strategy });
      for (let wait = 0; wait < 20; wait++) await pass(1_000);
      expect(diary).toEqual(["+a", "+b"]);
      expect(stateOf(tree, "bad")).toBe("degraded");
      await tree.drain();
    },
  );

  it("rest_for_one: those behind an essential child wait until it is up", async () => {
    const diary: Diary = [];
    let tries = 0;
    const third: Start = (context) => (++tries < 3 ? broken(context) : subject(diary, "a")(context));
    const { tree } = await plant(
      [
        { id: "a", restart: "permanent", essential: true, start: third, backoff: { minMs: 0 } },
        child(diary, "b"),
      ],
      { strategy: "rest_for_one", options: { random: () => 0 } },
    );
    expect(diary).toEqual(["+a", "+b"]);
    await tree.drain();
  });
});

describe("what is left of a child that fell", () => {
  it("is closed before its successor starts, however long closing takes", async () => {
    const diary: Diary = [];
    const start: Start = async (context) => {
      const made = await subject(diary, "a")(context);
      const close = async () => {
        await settled();
        diary.push("-a");
      };
      return { ...made, close };
    };
    const { tree } = await plant([{ id: "a", restart: "permanent", start }]);
    await tell(tree, "a", "BOOM");
    await settled();
    expect(diary).toEqual(["+a", "-a", "+a"]);
    await tree.drain();
  });

  it("is no orphan: actors it had spawned end though its own action threw", async () => {
    const diary: Diary = [];
    const worker = fromCallback(() => () => void diary.push("worker ended"));
    const machine = setup({ actors: { worker } }).createMachine({
      entry: spawnChild("worker"),
      on: {
        BOOM: {
          actions: () => {
            throw new Error("boom");
          },
        },
      },
    });
    const start: Start = ({ inspect }) => ({
      ref: createActor(machine, { inspect }).start(),
      speech: { refusalOf: () => null, viewOf: () => null, waits: [] },
    });
    const { tree } = await plant([{ id: "a", restart: "temporary", start }]);
    await tell(tree, "a", "BOOM");
    expect(diary).toEqual(["worker ended"]);
    await tree.drain();
  });

  it("is no orphan: an actor made by a start that then fails is stopped", async () => {
    const diary: Diary = [];
    const logic = fromCallback(() => () => void diary.push("ended"));
    const start: Start = ({ inspect }) => {
      createActor(logic, { inspect }).start();
      throw new Error("half-way");
    };
    const { tree } = await plant([{ id: "a", restart: "temporary", start }]);
    await settled();
    expect(diary).toEqual(["ended"]);
    await tree.drain();
  });

  it("is a report with the reason, the state, the last twenty events and the restarts", async () => {
    const diary: Diary = [];
    const { tree } = await plant([child(diary, "a")]);
    for (let n = 0; n < 30; n++) await tell(tree, "a", "ADD");
    await tell(tree, "a", "BOOM");
    const [report] = tree.crashes();
    expect(report).toMatchObject({ path: "a", reason: "boom", state: "alive", restarts: 0 });
    expect(report?.events.map(({ type }) => type)).toEqual([...Array(19).fill("ADD"), "BOOM"]);
    await tell(tree, "a", "BOOM");
    expect(tree.crashes()[1]?.restarts).toBe(1);
    await tree.drain();
  });

  it("is a report even when an event of its cannot be read", async () => {
    const { tree } = await plant([child([], "a")]);
    const trap = {
      get type(): "BOOM" {
        return "BOOM";
      },
      get payload(): string {
        throw new Error("trap");
      },
    };
    const client = tree.client<SubjectEvent, unknown>("a");
    await client.ask(trap).catch(() => {});
    await settled();
    expect(tree.crashes()[0]?.events.at(-1)).toEqual({ type: "BOOM", payload: "[unreadable]" });
    expect(stateOf(tree, "a")).toBe("running");
    await tree.drain();
  });
});
