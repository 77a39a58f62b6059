import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpEdr } from "../../../drivers/edr/http-edr.ts";
import { HttpNotifier } from "../../../drivers/notify/http-notifier.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { Execution, PlaybookStep } from "../../../machines/soc/execution-record.ts";
import { AdapterServer } from "./adapter-server.ts";
import { mortalStore } from "./platform.ts";
import { manager, openStore, ResponseProcess, responder } from "./response-process.ts";

let adapter: AdapterServer;
beforeEach(async () => {
  adapter = await new AdapterServer().open();
  adapter.endpoints.push({ id: "ep-1", hostname: "web-1", status: "online" });
});
afterEach(() => adapter.close());

const processOn = (store: Store, clock?: { now: number }) =>
  new ResponseProcess(store, {
    edr: new HttpEdr({ url: adapter.url }),
    notifier: new HttpNotifier(`${adapter.url}/notify`),
    ...(clock && { clock }),
  });

const stepsOf = (idempotent: boolean): Partial<PlaybookStep>[] => [
  { type: "block_ioc", params: { value: "evil.example" } },
  { type: "comment", params: { body: "started" } },
  { type: "http_request", params: { url: `${adapter.url}/firewall`, idempotent } },
  { type: "isolate_endpoint", params: { endpoint_id: "ep-1" } },
  { type: "notify", params: { text: "done", idempotent } },
  { type: "create_case", params: { title: "Follow-up" } },
];

interface Scene {
  store: Store;
  playbook: string;
  run: string;
  approval: string;
  case_id: string;
}

/** An approved run that waits for its replay. */
async function prepare(idempotent: boolean): Promise<Scene> {
  adapter.honoursKeys = idempotent;
  adapter.deeds.length = 0;
  adapter.calls.length = 0;
  adapter.endpoints[0]!.status = "online";
  const store = await openStore();
  const before = processOn(store);
  const seen = { id: "ep-1", hostname: "web-1", ip: null, os: null, status: "online" } as const;
  await before.endpoints.learn({ endpoints: [seen], skipped: 0 }, "2026-03-01T09:00:00.000Z");
  const playbook = await before.write(stepsOf(idempotent), { critical: true });
  const { id: case_id } = await before.work.cases.create({ title: "One", severity: "low" }, responder);
  const asked = await before.executions.execute(playbook, { case_id }, responder);
  const approval = asked.approval_id as string;
  await before.approvals.decide(approval, { approved: true }, manager);
  await before.settle();
  await before.stop();
  adapter.calls.length = 0;
  adapter.deeds.length = 0;
  return { store, playbook, run: asked.execution_id, approval, case_id };
}

const replay = (soc: ResponseProcess, { playbook, approval }: Scene) =>
  soc.executions.execute(playbook, {}, responder, approval);

/** The client asks again where nothing had been stored, and a person answers what the run asks. */
async function carryOn(soc: ResponseProcess, scene: Scene): Promise<{ run: Execution; questions: string[] }> {
  const questions: string[] = [];
  await soc.settle();
  if ((await soc.executions.get(scene.run)).status === "pending_approval") await replay(soc, scene);
  for (;;) {
    await soc.settle();
    const run = await soc.executions.get(scene.run);
    if (run.status !== "running" || !run.waiting_for) return { run, questions };
    questions.push(`${run.waiting_for.kind} ${run.waiting_for.step_id}`);
    await soc.executions.input(scene.run, { decision: "done" }, responder);
  }
}

const external = 3;

describe.each([
  ["at once", 0],
  ["an hour later", 3600],
])("a run killed between any two writes and taken up %s", (_, seconds) => {
  it("goes on, and repeats external calls under the same keys", { timeout: 60_000 }, async () => {
    let finished = false;
    for (let writes = 0; !finished; writes++) {
      expect(writes).toBeLessThan(120);
      const scene = await prepare(true);
      const mortal = processOn(mortalStore(scene.store, writes));
      finished = await replay(mortal, scene)
        .then(() => mortal.settle())
        .then(
          () => true,
          () => false,
        );
      await mortal.stop();
      const clock = { now: mortal.clock.now + seconds * 1000 };
      const after = processOn(scene.store, clock);
      await after.desk.timers.sweep();
      const { run, questions } = await carryOn(after, scene);
      expect([run.status, run.error, questions]).toEqual(["completed", null, []]);
      expect(adapter.deeds, `after ${writes} writes`).toHaveLength(external);
      expect(await scene.store.count("iocs")).toBe(1);
      expect(await scene.store.count("case_comments")).toBe(1);
      expect(await scene.store.count("cases")).toBe(2);
      expect((await after.approvals.get(scene.approval)).used_at).not.toBeNull();
      await after.stop();
    }
  });
});

describe("a run whose adapters honour no keys, killed between any two writes", () => {
  it("does nothing twice, and asks a person where nobody can say", { timeout: 60_000 }, async () => {
    const asked = new Set<string>();
    let finished = false;
    for (let writes = 0; !finished; writes++) {
      expect(writes).toBeLessThan(120);
      const scene = await prepare(false);
      const mortal = processOn(mortalStore(scene.store, writes));
      finished = await replay(mortal, scene)
        .then(() => mortal.settle())
        .then(
          () => true,
          () => false,
        );
      await mortal.stop();
      const after = processOn(scene.store, mortal.clock);
      const { run, questions } = await carryOn(after, scene);
      expect(run.status).toBe("completed");
      expect(new Set(adapter.deeds).size).toBe(adapter.deeds.length);
      for (const question of questions) asked.add(question);
      await after.stop();
    }
    expect([...asked].sort()).toEqual(["unknown s3", "unknown s4", "unknown s5"]);
  });
});

describe("a run killed while an adapter is being asked", () => {
  const killed = async (idempotent: boolean) => {
    const scene = await prepare(idempotent);
    const mortal = processOn(scene.store);
    adapter.behaviour = "stall";
    const arrived = adapter.arrival();
    await replay(mortal, scene);
    await arrived;
    await mortal.stop();
    adapter.behaviour = "confirm";
    return { scene, after: processOn(scene.store, mortal.clock) };
  };

  it("asks again under the same key, and nothing happens twice", async () => {
    const { scene, after } = await killed(true);
    const { run, questions } = await carryOn(after, scene);
    expect([run.status, questions]).toEqual(["completed", []]);
    const key = run.steps[2]?.key;
    expect(adapter.asked.filter((call) => call.key === key)).toHaveLength(2);
    expect(adapter.deeds).toHaveLength(external);
    await after.stop();
  });

  it("asks a person instead where the adapter honours no keys", async () => {
    const { scene, after } = await killed(false);
    const { run, questions } = await carryOn(after, scene);
    expect([run.status, questions]).toEqual(["completed", ["unknown s3"]]);
    expect(run.steps[2]?.receipt).toEqual({ confirmed_by: "responder" });
    expect(adapter.deeds).toHaveLength(external);
    await after.stop();
  });
});
