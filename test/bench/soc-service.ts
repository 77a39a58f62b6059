import { join } from "node:path";
import { initialTransition } from "xstate";
import { socCollections } from "../../actors/soc/collections.ts";
import { storeFile } from "../../cli/homes.ts";
import { SqliteStore } from "../../drivers/store/sqlite.ts";
import type { NewDoc } from "../../drivers/store/store.ts";
import { alertMachine, alertOf } from "../../machines/soc/alert.ts";
import { approvalMachine, approvalOf } from "../../machines/soc/approval.ts";
import { caseMachine, caseOf } from "../../machines/soc/case.ts";
import { type RunningService, startService } from "../service.ts";

export interface RunningPlatform extends RunningService {
  api: string;
  headers: Record<string, string>;
}

/** The platform without limits, with its administrator logged in. */
export async function startPlatform(home: string): Promise<RunningPlatform> {
  const service = await startService("soc", { home, env: { MINARET_LIMITS: "off" } });
  const api = `${service.soc}/api/v1`;
  const json = { "content-type": "application/json" };
  const reply = await fetch(`${api}/auth/token`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ username: "admin", password: service.adminPassword }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  return { ...service, api, headers: { ...json, authorization: `Bearer ${token}` } };
}

/** Records as the platform itself would have stored them, before it starts. */
export async function seed(
  home: string,
  collection: string,
  count: number,
  docOf: (n: number) => NewDoc,
): Promise<void> {
  const store = new SqliteStore(join(home, "soc", storeFile), socCollections);
  await store.open();
  const batch = 2_000;
  for (let from = 0; from < count; from += batch) {
    const length = Math.min(batch, count - from);
    await store.insertMany(
      collection,
      Array.from({ length }, (_, n) => docOf(from + n)),
    );
  }
  await store.close();
}

const minute = (n: number) => new Date(1_780_000_000_000 + n * 60_000).toISOString();
const hex = (n: number) => n.toString(16).padStart(32, "0");

export function alertDoc(n: number): NewDoc {
  const input = {
    id: `alert-${hex(n)}`,
    title: `Suspicious sign-in ${n}`,
    description: "Several failed sign-ins, then one that succeeded from a new place.",
    severity: "medium" as const,
    source: "identity",
    iocs: [`198.51.100.${n % 256}`],
    hash: hex(n).repeat(2),
    site: "north",
    mitre_techniques: ["T1110"],
    assignee: null,
    rule_id: null,
    at: minute(n),
  };
  return { ...alertOf(initialTransition(alertMachine, input)[0]) };
}

export function caseDoc(n: number): NewDoc {
  const input = {
    id: `case-${hex(n)}`,
    title: `Intrusion ${n}`,
    description: "An account that was taken over, and what it reached.",
    severity: "high" as const,
    assignee: null,
    alert_ids: [],
    promoted_from: null,
    by: "admin",
    at: minute(n),
  };
  return { ...caseOf(initialTransition(caseMachine, input)[0]) };
}

export function approvalDoc(n: number, expiresAt: number): NewDoc {
  const input = {
    id: `approval-${hex(n)}`,
    action: "isolate an endpoint",
    justification: null,
    requested_by: "analyst",
    owner: null,
    playbook_id: null,
    execution_id: null,
    case_id: null,
    holds_case: false,
    parameters: {},
    requested_at: minute(0),
    expires_at: new Date(expiresAt).toISOString(),
  };
  return { ...approvalOf(initialTransition(approvalMachine, input)[0]), due: expiresAt };
}
