import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { Verdict } from "../../../machines/soc/alert.ts";
import { analyst, openPlatformStore, Process } from "./platform.ts";

const keys = new MemoryKeys();
const beacon = { title: "Beacon", source: "siem", severity: "high", iocs: ["b", "a"] } as const;
let store: Store;
let close: () => Promise<void>;
let soc: Process;

beforeEach(async () => {
  ({ store, close } = await openPlatformStore());
  soc = new Process(store, keys);
});
afterEach(async () => {
  await soc.stop();
  await close();
});

const draft = (more: object = {}) => ({ ...beacon, iocs: [...beacon.iocs], ...more });

describe("alerts", () => {
  it("that are the same, raised a hundred times at once, are one that occurred a hundred times", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => soc.alerts.create(draft(), analyst)));
    expect(all.filter((each) => each.created)).toHaveLength(1);
    const { items, total } = await soc.alerts.list({});
    expect([total, items[0]?.occurrences, items[0]?.status]).toEqual([1, 100, "new"]);
  });

  it("are the same in whatever order their indicators come, and across processes", async () => {
    const other = new Process(store, keys);
    const first = await soc.alerts.create(draft(), analyst);
    const again = await other.alerts.create(draft({ iocs: ["a", "b"] }), analyst);
    expect(again).toMatchObject({ created: false, alert: { id: first.alert.id, occurrences: 2 } });
    expect((await soc.alerts.create(draft({ iocs: ["a"] }), analyst)).created).toBe(true);
    await other.stop();
  });

  it.each([
    ["true_positive", "triaged"],
    ["benign", "triaged"],
    ["false_positive", "closed"],
    ["test", "closed"],
  ] as const)("closed as %s are %s when they are seen again", async (verdict: Verdict, status) => {
    const { alert } = await soc.alerts.create(draft(), analyst);
    await soc.alerts.change(alert.id, { status: "closed", verdict }, analyst);
    const again = await soc.alerts.create(draft(), analyst);
    expect(again).toMatchObject({ created: false, alert: { status, occurrences: 2 } });
    expect(again.alert.notes.map((note) => note.text)).toEqual(status === "triaged" ? ["seen again"] : []);
  });

  it("tell their rule the verdict in the same commit", async () => {
    const { alert } = await soc.alerts.create(draft({ rule_id: "r1" }), analyst);
    await soc.alerts.change(alert.id, { status: "closed", verdict: "false_positive" }, analyst);
    const { items } = await store.find("detection_feedback", { where: { rule_id: "r1" } });
    expect(items).toMatchObject([{ verdict: "false_positive", alert_id: alert.id, created_by: "analyst" }]);
  });

  it("refuse a stale version, an illegal move and closing without a verdict", async () => {
    const { alert } = await soc.alerts.create(draft(), analyst);
    await soc.alerts.change(alert.id, { assignee: "a" }, analyst, 1);
    const refused = (patch: object, version?: number) => soc.alerts.change(alert.id, patch, analyst, version);
    await expect(refused({ assignee: "b" }, 1)).rejects.toMatchObject({ code: "conflict", field: "version" });
    await expect(refused({ status: "resolved" })).rejects.toThrow("allowed: triaged, closed");
    await expect(refused({ status: "closed" })).rejects.toMatchObject({
      code: "invalid_input",
      field: "verdict",
    });
    await refused({ status: "triaged" });
    await expect(refused({ status: "new" })).rejects.toMatchObject({ code: "conflict", field: "status" });
    await expect(soc.alerts.change("alert-none", {}, analyst)).rejects.toMatchObject({ code: "not_found" });
  });

  it("are listed with filters, and by a cursor that does not drift while others come in", async () => {
    let tick = 1_800_000_000_000;
    soc.clock = () => tick++;
    for (let n = 0; n < 30; n++)
      await soc.alerts.create(draft({ title: `t${n}`, severity: n % 2 ? "low" : "high" }), analyst);
    const first = await soc.alerts.list({ limit: 10 }, { severity: "low" });
    expect([first.total, first.items[0]?.title]).toEqual([15, "t29"]);
    await soc.alerts.create(draft({ title: "newer", severity: "low" }), analyst);
    const next = await soc.alerts.list({ limit: 10, cursor: first.next_cursor ?? "" }, { severity: "low" });
    expect(next.items.map((alert) => alert.title)).toEqual(["t9", "t7", "t5", "t3", "t1"]);
    await expect(soc.alerts.list({ sort: "hash" })).rejects.toMatchObject({
      code: "invalid_input",
      field: "sort",
    });
  });
});

describe("cases", () => {
  it("are opened for a promoted alert, once, and both know each other", async () => {
    const { alert } = await soc.alerts.create(draft(), analyst);
    const both = await Promise.allSettled([
      soc.alerts.promote(alert.id, { assignee: "x" }, analyst),
      soc.alerts.promote(alert.id, {}, analyst),
    ]);
    expect(both.map((each) => each.status).sort()).toEqual(["fulfilled", "rejected"]);
    const { items } = await soc.cases.list({});
    expect(items).toMatchObject([
      { title: "Beacon", alert_ids: [alert.id], status: "open", severity: "high" },
    ]);
    expect(await soc.alerts.get(alert.id)).toMatchObject({ status: "investigating", case_id: items[0]?.id });
    await soc.settle();
    expect((await soc.cases.list({})).total).toBe(1);
  });

  it("take the alerts they are opened with, and refuse those of others", async () => {
    const { alert } = await soc.alerts.create(draft(), analyst);
    const made = await soc.cases.create({ title: "One", severity: "low", alert_ids: [alert.id] }, analyst);
    expect(await soc.alerts.get(alert.id)).toMatchObject({ status: "investigating", case_id: made.id });
    const again = soc.cases.create({ title: "Two", severity: "low", alert_ids: [alert.id] }, analyst);
    await expect(again).rejects.toMatchObject({ code: "conflict", field: "alert_ids" });
    const unknown = soc.cases.create({ title: "Two", severity: "low", alert_ids: ["alert-none"] }, analyst);
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
    expect((await soc.cases.list({})).total).toBe(1);
  });

  it("write their timeline themselves, in order, and show all they hold", async () => {
    const { id } = await soc.cases.create({ title: "One", severity: "low" }, analyst);
    await soc.file.addObservable(id, { type: "ip", value: "10.0.0.1" }, analyst);
    await soc.file.addComment(id, "<script>alert(1)</script>", analyst);
    const task = await soc.file.addTask(id, { title: "Look" }, analyst);
    await soc.file.changeTask(id, task.id, { status: "done" }, analyst);
    await soc.cases.change(id, { status: "investigating", title: "Two" }, analyst);
    const detail = JSON.parse(String(await soc.cases.text(id)));
    expect(detail).toMatchObject({ title: "Two", status: "investigating", version: 6 });
    expect(detail.timeline.map((line: { action: string }) => line.action)).toEqual([
      "opened the case",
      "added observable ip 10.0.0.1",
      "commented",
      "added task Look",
      "task Look: done, unassigned",
      "moved the case to investigating",
    ]);
    expect(detail.tasks).toMatchObject([{ id: task.id, status: "done", assignee: null }]);
    expect(detail.comments).toMatchObject([{ author: "analyst", body: "<script>alert(1)</script>" }]);
    expect(Object.keys(detail.timeline[0])).toEqual(["id", "agent", "action", "timestamp"]);
    expect((await soc.cases.shelf.tasks(id, {})).items).toEqual(detail.tasks);
  });

  it("keep both of two changes of one task that come at once", async () => {
    const { id } = await soc.cases.create({ title: "One", severity: "low" }, analyst);
    const { id: task } = await soc.file.addTask(id, { title: "Look" }, analyst);
    await Promise.all([
      soc.file.changeTask(id, task, { status: "in_progress" }, analyst),
      soc.file.changeTask(id, task, { assignee: "responder" }, analyst),
    ]);
    expect(await soc.cases.shelf.task(id, task)).toMatchObject({
      status: "in_progress",
      assignee: "responder",
    });
    await expect(soc.file.changeTask(id, "task-none", {}, analyst)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("wait for an approval and go back when it is withdrawn", async () => {
    const { id } = await soc.cases.create({ title: "One", severity: "low" }, analyst);
    const waits = await soc.cases.change(id, { requires_human_approval: true }, analyst);
    expect(waits).toMatchObject({ status: "pending_approval", requires_human_approval: true });
    const [approval] = [...soc.approvals.asked.values()];
    expect(approval).toMatchObject({
      id: waits.approval_id,
      case_id: id,
      holds_case: true,
      requested_by: "analyst",
    });
    await expect(soc.cases.change(id, { status: "investigating" }, analyst)).rejects.toThrow("allowed: none");
    const back = await soc.cases.change(id, { requires_human_approval: false }, analyst);
    expect(back).toMatchObject({ status: "open", requires_human_approval: false, approval_id: null });
    expect(soc.approvals.cancelled).toContain(`review ${id}`);
  });

  it("that are deleted let their alerts go, cancel approvals, and are not there any more", async () => {
    const { alert } = await soc.alerts.create(draft(), analyst);
    const { id } = await soc.cases.create({ title: "One", severity: "low", alert_ids: [alert.id] }, analyst);
    const { id: evidence } = await soc.file.addEvidence(
      id,
      { name: "e", evidence_type: "disk", sha256: "a".repeat(64) },
      analyst,
    );
    await soc.cases.delete(id, analyst);
    expect(await soc.alerts.get(alert.id)).toMatchObject({ status: "triaged", case_id: null });
    expect(soc.approvals.cancelled).toContain(`all ${id}`);
    await expect(soc.cases.text(id)).rejects.toMatchObject({ code: "not_found" });
    await expect(soc.cases.delete(id, analyst)).rejects.toMatchObject({ code: "not_found" });
    await expect(soc.file.addComment(id, "late", analyst)).rejects.toMatchObject({ code: "not_found" });
    expect((await soc.cases.list({})).total).toBe(0);
    expect(await store.get("cases", id)).toMatchObject({ status: "deleted", deleted_by: "analyst" });
    expect((await store.find("evidence_ledger", { where: { evidence_id: evidence } })).items).toHaveLength(1);
  });

  it("tell the stream of one step of their own per request, with its id", async () => {
    const { alert } = await soc.alerts.create(draft(), analyst);
    const { id } = await soc.cases.create({ title: "One", severity: "low" }, analyst);
    await soc.alerts.link(alert.id, id, { actor: "analyst", cause: "req-9" });
    await soc.settle();
    const caused = soc.steps.filter((step) => step.meta.cause === "req-9");
    expect(caused.map((step) => [step.kind, step.event.type])).toEqual([["alert", "LINK"]]);
    expect(soc.steps.filter((step) => step.event.type === "ALERT_LINKED")).toHaveLength(1);
  });
});
