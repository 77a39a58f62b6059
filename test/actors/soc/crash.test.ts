import { describe, expect, it } from "vitest";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { Alert } from "../../../machines/soc/alert.ts";
import type { Case } from "../../../machines/soc/case-record.ts";
import { analyst, openPlatformStore, Process } from "./platform.ts";

const keys = new MemoryKeys();
const draft = (title: string) => ({ title, source: "siem", severity: "high" as const });

interface Scene {
  alerts: string[];
  case_id: string;
}

/** What a request does in a process that dies in the middle of it. */
const requests: Record<string, (soc: Process, scene: Scene) => Promise<unknown>> = {
  promote: (soc, { alerts }) => soc.alerts.promote(alerts[0] as string, {}, analyst),
  "case-link": (soc, { alerts, case_id }) => soc.alerts.link(alerts[0] as string, case_id, analyst),
  "opening a case with alerts": (soc, { alerts }) =>
    soc.cases.create({ title: "New", severity: "low", alert_ids: alerts }, analyst),
  "deleting a case with alerts": async (soc, { alerts, case_id }) => {
    for (const id of alerts) await soc.alerts.link(id, case_id, analyst);
    await soc.cases.delete(case_id, analyst);
  },
};

/** Both sides say the same of each other, whatever happened. */
async function expectAgreement(store: Store): Promise<void> {
  const alerts = (await store.find("alerts")).items as unknown as Alert[];
  const cases = (await store.find("cases")).items as unknown as Case[];
  const linked = alerts
    .filter((alert) => alert.case_id !== null)
    .map((alert) => `${alert.case_id} ${alert.id}`);
  const held = cases.flatMap((each) => each.alert_ids.map((id) => `${each.id} ${id}`));
  expect(linked.sort()).toEqual(held.sort());
  for (const each of cases) if (each.status === "deleted") expect(each.alert_ids).toEqual([]);
  for (const alert of alerts) {
    if (alert.case_id !== null) expect(alert.status).toBe("investigating");
    expect(alert.notes.length).toBeLessThanOrEqual(1);
  }
  const lines = (await store.find("case_timeline")).items.map((doc) => `${doc.case_id} ${doc.action}`);
  expect(new Set(lines).size).toBe(lines.length);
}

describe.each(Object.keys(requests))("%s, killed between any two writes", (name) => {
  it("is complete or repaired by the next process", { timeout: 60_000 }, async () => {
    const request = requests[name] as (soc: Process, scene: Scene) => Promise<unknown>;
    let finished = false;
    for (let writes = 0; !finished; writes++) {
      expect(writes).toBeLessThan(60);
      const { store, close } = await openPlatformStore();
      const before = new Process(store, keys);
      const alerts: string[] = [];
      for (const title of ["one", "two"])
        alerts.push((await before.alerts.create(draft(title), analyst)).alert.id);
      const { id: case_id } = await before.cases.create({ title: "Old", severity: "low" }, analyst);
      await before.settle();
      await before.stop();

      const mortal = new Process(store, keys, writes);
      finished = await request(mortal, { alerts, case_id }).then(
        () => true,
        () => false,
      );
      await mortal.stop();

      const after = new Process(store, keys);
      await after.settle();
      await expectAgreement(store);
      await after.stop();
      await close();
    }
  });
});
