import { describe, expect, it } from "vitest";
import { sha256 } from "../../../drivers/keys/ed25519.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import type { Alert } from "../../../machines/soc/alert.ts";
import type { Case } from "../../../machines/soc/case-record.ts";
import type { Execution } from "../../../machines/soc/execution-record.ts";
import { type LedgerEntry, ledgerRoot, verifyChain } from "../../../machines/soc/ledger.ts";
import { type ShowcaseDoc, showcase } from "../../../machines/soc/showcase.ts";

const keys = new MemoryKeys();
const now = "2026-03-01T10:00:00.000Z";
const data = showcase({ now, sha256, sign: (hash) => keys.sign(hash) });
const all = <T>(collection: string) => (data[collection] ?? []) as unknown as (T & ShowcaseDoc)[];

describe("the showcase", () => {
  it("is the same every time it is made", () => {
    expect(showcase({ now, sha256, sign: (hash) => keys.sign(hash) })).toEqual(data);
  });

  it("has something of everything, under ids that are taken once", () => {
    const collections = [
      "alerts",
      "cases",
      "case_timeline",
      "case_observables",
      "case_comments",
      "case_tasks",
    ];
    collections.push("case_evidence", "evidence_ledger", "endpoints", "devices", "approvals", "executions");
    for (const name of [...collections, "playbooks", "soar_rules", "sites"]) {
      expect(all(name).length, name).toBeGreaterThan(0);
      expect(new Set(all(name).map((doc) => doc.id)).size, name).toBe(all(name).length);
    }
  });

  it("names only cases, alerts and sites that it has, each side agreeing with the other", () => {
    const cases = new Map(all<Case>("cases").map((each) => [each.id, each]));
    for (const alert of all<Alert>("alerts")) {
      expect(all("sites").map((site) => site.id)).toContain(alert.site);
      if (alert.case_id !== null) expect(cases.get(alert.case_id)?.alert_ids).toContain(alert.id);
    }
    for (const each of cases.values()) {
      for (const id of each.alert_ids)
        expect(all<Alert>("alerts").find((a) => a.id === id)?.case_id).toBe(each.id);
    }
    expect(new Set(all<Alert>("alerts").map((alert) => alert.site)).size).toBe(2);
  });

  it("has nothing that is later than its end, and timelines in order", () => {
    const times = JSON.stringify(data).match(/"\d{4}-\d\d-\d\dT[^"]+"/g) ?? [];
    const future = new Set(all<{ expires_at: string }>("approvals").map((each) => `"${each.expires_at}"`));
    for (const time of times) if (!future.has(time)) expect(time <= `"${now}"`, time).toBe(true);
    for (const each of all("cases")) {
      const lines = all<{ case_id: string; timestamp: string }>("case_timeline").filter(
        (l) => l.case_id === each.id,
      );
      const stamps = lines.map((line) => line.timestamp);
      expect(stamps).toEqual([...stamps].sort());
    }
  });

  it("ended its runs, and its chain of custody holds", () => {
    expect(all<Execution>("executions").map((run) => run.status)).toEqual(["completed", "completed"]);
    const entries = all<{ entry: LedgerEntry; signature: string }>("evidence_ledger");
    const { entry, signature } = entries.at(-1) as { entry: LedgerEntry; signature: string };
    const root = ledgerRoot("case-showcase-1", entry.evidence_id, sha256);
    const check = (hash: string, text: string) => keys.isSigned(hash, text);
    const head = { seq: entry.seq, hash: entry.hash, signature };
    expect(
      verifyChain(
        entries.map((each) => each.entry),
        root,
        head,
        sha256,
        check,
      ).valid,
    ).toBe(true);
  });
});
