import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HttpEdr } from "../../../drivers/edr/http-edr.ts";
import { HttpNotifier } from "../../../drivers/notify/http-notifier.ts";
import { type OnError, onErrors, type StepType, stepTypes } from "../../../machines/soc/execution-record.ts";
import { AdapterServer, type Behaviour } from "./adapter-server.ts";
import { mortalStore } from "./platform.ts";
import { openStore, ResponseProcess, responder } from "./response-process.ts";

const behaviours: Behaviour[] = ["confirm", "stall", "hang up", "fail", "refuse", "deny", "garbage"];
const scenes = fc.record({
  steps: fc.array(
    fc.record({ type: fc.constantFrom(...stepTypes), on_error: fc.constantFrom(...onErrors) }),
    { minLength: 1, maxLength: 4 },
  ),
  next: fc.array(fc.constantFrom(...behaviours), { maxLength: 6 }),
  behaviour: fc.constantFrom(...behaviours),
  honoursKeys: fc.boolean(),
  /** After so many writes the first process is killed. */
  writes: fc.integer({ min: 4, max: 40 }),
});

interface Scene {
  steps: { type: StepType; on_error: OnError }[];
  next: Behaviour[];
  behaviour: Behaviour;
  honoursKeys: boolean;
  writes: number;
}

async function play({ steps, next, behaviour, honoursKeys, writes }: Scene): Promise<string> {
  const adapter = await new AdapterServer().open();
  Object.assign(adapter, { next: [...next], behaviour, honoursKeys });
  adapter.endpoints.push({ id: "ep-1", status: "online" });
  const edr = new HttpEdr({ url: adapter.url, inventoryTimeoutMs: 5_000 });
  const world = { edr, notifier: new HttpNotifier(adapter.url) };
  const params = { endpoint_id: "ep-1", value: "v", title: "t", body: "b", assignee: "a", text: "x" };
  const all = steps.map((step) => ({
    ...{
      params: { ...params, seconds: 5, url: `${adapter.url}/x`, idempotent: honoursKeys },
      timeout_s: 0.05,
    },
    ...step,
  }));
  const store = await openStore();
  let soc = new ResponseProcess(mortalStore(store, writes), world);
  try {
    await soc.endpoints.learn(await edr.inventory(), new Date(soc.clock.now).toISOString());
    const playbook = await soc.write(all);
    const run = await soc.executions.execute(playbook, {}, responder).catch(() => null);
    await soc.settle().catch(() => {});
    await soc.stop();
    if (!run) return "never stored";
    soc = new ResponseProcess(store, { ...world, clock: soc.clock });
    for (let turns = 0; ; turns++) {
      await soc.settle();
      const { status, due_at } = await soc.executions.get(run.execution_id);
      if (status !== "running") return status;
      // A deadline stands, so that time alone leads on, whether or not a person answers.
      expect(due_at).not.toBeNull();
      expect(turns).toBeLessThan(60);
      await soc.pass(Math.max(1, (Date.parse(due_at as string) - soc.clock.now) / 1000));
    }
  } finally {
    await soc.stop();
    await adapter.close();
  }
}

describe("whatever adapters do, and wherever the platform is killed", () => {
  it("every run comes to an end", { timeout: 120_000 }, async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        ends.add(await play(scene));
      }),
      { numRuns: 100, endOnFailure: true },
    );
    expect(ends).toContain("completed");
    expect(ends).toContain("failed");
  });
});
