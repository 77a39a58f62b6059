import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpNotifier } from "../../../drivers/notify/http-notifier.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { expiresAt } from "../../../machines/soc/approval.ts";
import { AdapterServer } from "./adapter-server.ts";
import { manager, openStore, ResponseProcess, responder, start } from "./response-process.ts";

let store: Store;
let soc: ResponseProcess;
beforeEach(async () => {
  store = await openStore();
  soc = new ResponseProcess(store);
});
afterEach(() => soc.stop());

const input = (id: string, more: object = {}) => ({
  ...{ id, action: "Isolate the host", justification: null, requested_by: "responder", parameters: {} },
  ...{ playbook_id: null, execution_id: null, case_id: null, holds_case: false },
  requested_at: new Date(start).toISOString(),
  expires_at: expiresAt(new Date(start).toISOString()),
  ...more,
});
const decide = (id: string, approved = true, asker = manager) =>
  soc.approvals.decide(id, { approved, reason: "so be it" }, asker);

describe("an approval", () => {
  it("is decided once, by somebody else", async () => {
    await soc.approvals.request(input("approval-1"));
    await expect(decide("approval-1", true, responder)).rejects.toMatchObject({ code: "forbidden" });
    const refused = { action: "approval.DECIDE", result: "refused" };
    expect((await soc.desk.audit.list({}, refused)).items).toMatchObject([
      { actor: responder.actor, object: "approval/approval-1" },
    ]);
    expect(await decide("approval-1")).toMatchObject({ status: "approved", decided_by: "manager" });
    for (const again of [true, false]) {
      await expect(decide("approval-1", again)).rejects.toMatchObject({ code: "conflict" });
    }
    await expect(decide("approval-none")).rejects.toMatchObject({ code: "not_found" });
  });

  it("goes to one of two deciders who come at once", async () => {
    await soc.approvals.request(input("approval-1"));
    const both = await Promise.allSettled([
      decide("approval-1"),
      decide("approval-1", false, { actor: "x" }),
    ]);
    expect(both.map((each) => each.status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("that a person's API key asked for is not theirs to decide, even when the key is gone", async () => {
    await store.insert("api_keys", { id: "key-1", name: "ci", created_by: "manager" });
    await soc.approvals.request(input("approval-1", { requested_by: "key:ci" }));
    await store.delete("api_keys", "key-1");
    await expect(decide("approval-1")).rejects.toMatchObject({ code: "forbidden" });
    expect(await decide("approval-1", true, { actor: "other" })).toMatchObject({ owner: "manager" });
  });

  it("is listed while it waits, and by its status after that", async () => {
    await soc.approvals.request(input("approval-1"));
    await soc.approvals.request(input("approval-2"));
    await decide("approval-2", false);
    expect((await soc.approvals.list({})).items.map((each) => each.id)).toEqual(["approval-1"]);
    expect((await soc.approvals.list({}, "rejected")).items).toMatchObject([{ id: "approval-2" }]);
    expect((await soc.approvals.list({}, "all")).total).toBe(2);
    expect(await soc.approvals.list({})).not.toHaveProperty("items.0.due");
  });

  it("expires to the second, also when the platform was away at that time", async () => {
    await soc.approvals.request(input("approval-1"));
    await soc.pass(4 * 3600 - 1);
    expect(await soc.approvals.get("approval-1")).toMatchObject({ status: "pending" });
    await soc.stop();
    const { clock } = soc;
    soc = new ResponseProcess(store, { clock });
    await soc.pass(1);
    expect(await soc.approvals.get("approval-1")).toMatchObject({
      status: "timeout",
      decided_at: "2026-03-01T14:00:00.000Z",
    });
    await expect(decide("approval-1")).rejects.toMatchObject({ code: "conflict" });
  });

  it("is neither decided nor used after its time, even before the timer has come", async () => {
    await soc.approvals.request(input("approval-1"));
    const use = () => soc.approvals.usable("approval-1", "anybody", new Date(soc.clock.now).toISOString());
    await expect(use()).rejects.toMatchObject({ code: "conflict" });
    soc.clock.now += 4 * 3_600_000;
    await expect(decide("approval-1")).rejects.toMatchObject({ code: "conflict" });
    await expect(use()).rejects.toMatchObject({ code: "forbidden" });
  });

  it("falls due ten thousand times at once, and every one is told", { timeout: 60_000 }, async () => {
    for (let n = 0; n < 10_000; n += 100) {
      const some = Array.from({ length: 100 }, (_, i) => soc.approvals.request(input(`approval-${n + i}`)));
      await Promise.all(some);
    }
    await soc.settle();
    soc.clock.now += 4 * 3_600_000;
    await soc.desk.timers.sweep();
    expect(await store.countBy("approvals", "status")).toEqual(new Map([["timeout", 10_000]]));
  });
});

describe("a case that waits for an approval", () => {
  const open = async () => (await soc.work.cases.create({ title: "One", severity: "low" }, responder)).id;

  it.each([true, false])("goes back to where it came from when it is decided (%s)", async (approved) => {
    const id = await open();
    await soc.work.cases.change(id, { status: "investigating" }, responder);
    const { approval_id } = await soc.work.cases.change(id, { requires_human_approval: true }, responder);
    await expect(decide(approval_id as string, true, responder)).rejects.toMatchObject({ code: "forbidden" });
    await decide(approval_id as string, approved);
    expect(await soc.work.cases.live(id)).toMatchObject({
      ...{ status: "investigating", requires_human_approval: false, approval_id: null },
    });
    await soc.settle();
    expect(soc.steps.filter((step) => step.event.type === "APPROVAL_ENDED")).toHaveLength(1);
  });

  it("goes back when nobody decides in time", async () => {
    const id = await open();
    await soc.work.cases.change(id, { requires_human_approval: true }, responder);
    await soc.pass(4 * 3600);
    expect(await soc.work.cases.live(id)).toMatchObject({ status: "open", requires_human_approval: false });
  });

  it("takes its approvals with it when it is deleted, and with them the runs that wait", async () => {
    const id = await open();
    const playbook = await soc.write([{ params: { body: "x" } }], { critical: true });
    const run = await soc.executions.execute(playbook, { case_id: id }, responder);
    const { approval_id } = await soc.work.cases.change(id, { requires_human_approval: true }, responder);
    await soc.work.cases.delete(id, manager);
    await soc.settle();
    expect(await soc.approvals.get(approval_id as string)).toMatchObject({ status: "cancelled" });
    expect(await soc.approvals.get(run.approval_id as string)).toMatchObject({ status: "cancelled" });
    expect(await soc.executions.get(run.execution_id)).toMatchObject({ status: "cancelled" });
  });

  it("that was deleted first is not asked for any more", async () => {
    const id = await open();
    await soc.work.cases.delete(id, manager);
    await soc.approvals.request(input("approval-1", { case_id: id, holds_case: true }));
    expect(await soc.approvals.get("approval-1")).toMatchObject({ status: "cancelled" });
  });
});

describe("people outside", () => {
  let adapter: AdapterServer;
  beforeEach(async () => {
    adapter = await new AdapterServer().open();
    await soc.stop();
    soc = new ResponseProcess(store, { notifier: new HttpNotifier(`${adapter.url}/hook`) });
  });
  afterEach(() => adapter.close());

  it("are told of a pending approval, again under the same key until they take it", async () => {
    adapter.next = ["fail", "hang up"];
    await soc.approvals.request(input("approval-1"));
    await soc.settle();
    expect(adapter.calls).toHaveLength(3);
    expect(new Set(adapter.calls.map((call) => call.key)).size).toBe(1);
    expect(adapter.deeds).toHaveLength(1);
    expect(JSON.parse(adapter.calls[0]?.body ?? "")).toMatchObject({
      type: "approval_pending",
      approval: { id: "approval-1", requested_by: "responder", expires_at: "2026-03-01T14:00:00.000Z" },
    });
  });

  it("are not told of one that was decided meanwhile", async () => {
    await soc.desk.effects.stop();
    await soc.approvals.request(input("approval-1"));
    await decide("approval-1");
    soc.desk.effects.start();
    await soc.settle();
    expect(adapter.calls).toHaveLength(0);
  });
});
