/** The showcase's response: endpoints, a device that lies, an approval that waits, runs, and rules. */
import { approvalMachine, approvalOf, expiresAt } from "./approval.ts";
import { endpointMachine, endpointOf } from "./edr-endpoint.ts";
import { executionMachine, executionOf } from "./execution.ts";
import type { ExecutionEvent, Playbook } from "./execution-record.ts";
import { builtInPlaybooks } from "./playbooks.ts";
import { replay } from "./replay.ts";
import type { Stage } from "./showcase.ts";
import { storyApprovalId, storyCaseId, storyHosts } from "./showcase-story.ts";

const runs = { contain: "execution-showcase-1", triage: "execution-showcase-2" };
const containApproval = "approval-showcase-2";

export function showResponse(stage: Stage): void {
  const { at, put } = stage;
  for (const playbook of builtInPlaybooks) put("playbooks", { ...playbook, created_at: at(60 * 24 * 30) });
  showEndpoints(stage);
  showApprovals(stage);
  showRuns(stage);
  const device = { kind: "controller", site: "plant-north", enrolled_at: at(60 * 24 * 20) };
  put("devices", {
    ...device,
    id: "plc-06",
    name: "plc-06",
    status: "trusted",
    firmware: "4.2.1",
    attested_at: at(30),
  });
  put("devices", {
    ...device,
    id: "plc-07",
    name: "plc-07",
    status: "failed",
    firmware: "4.2.9",
    attested_at: at(1395),
  });
  for (const [n, name] of ["Isolate on critical EDR alerts", "Notify on failed attestation"].entries()) {
    put("soar_rules", { id: `rule-showcase-${n + 1}`, name, enabled: n === 1, created_at: at(60 * 24 * 30) });
  }
}

function showEndpoints({ at, by, put }: Stage): void {
  for (const [id, hostname, ip, os, site] of storyHosts) {
    const input = { id, hostname, ip, os, site, source: "edr", at: at(60 * 24 * 30) };
    const key = `${runs.contain}/isolate/1`;
    const command = { ...by("responder", 1310), reason: "part of the intrusion", answer_by: at(1309), key };
    const receipt = { confirmed: true };
    const isolated = hostname === "hq-ws-017";
    const events = isolated
      ? ([
          { type: "ISOLATE", ...command },
          { type: "CONFIRMED", key, at: at(1309.8), receipt },
        ] as const)
      : [];
    const status = isolated ? ("isolated" as const) : ("online" as const);
    const seen = { type: "SEEN", hostname, ip, os, status, source: "edr", at: at(1) } as const;
    put("endpoints", replay(endpointMachine, endpointOf, input, [...events, seen]).record);
  }
}

function showApprovals({ at, by, put }: Stage): void {
  const asked = { requested_by: "responder", parameters: {}, playbook_id: null, execution_id: null };
  const waiting = {
    ...asked,
    id: storyApprovalId,
    action: "Review case Stolen account reaches the plant",
    justification: "The jump host of the plant is about to be isolated.",
    case_id: storyCaseId,
    holds_case: true,
    requested_at: at(60),
    expires_at: expiresAt(at(60)),
  };
  put("approvals", replay(approvalMachine, approvalOf, waiting, []).record);
  const decided = {
    ...asked,
    id: containApproval,
    action: "Contain a host",
    justification: null,
    playbook_id: "contain-host",
    execution_id: runs.contain,
    case_id: storyCaseId,
    holds_case: false,
    parameters: { endpoint_id: "ep-0101" },
    requested_at: at(1320),
    expires_at: expiresAt(at(1320)),
  };
  put(
    "approvals",
    replay(approvalMachine, approvalOf, decided, [
      { type: "DECIDE", approved: true, reason: "go ahead", ...by("manager", 1312) },
      { type: "USE", ...by("responder", 1311) },
    ]).record,
  );
}

function showRuns(stage: Stage): void {
  const { at } = stage;
  const done = (step_id: string, minutes: number, receipt: object): ExecutionEvent => {
    return { type: "STEP_DONE", step_id, attempt: 1, receipt, at: at(minutes) };
  };
  putRun(stage, runs.contain, "contain-host", { endpoint_id: "ep-0101" }, containApproval, 1320, [
    { type: "START", approval_id: containApproval, by: "responder", at: at(1311) },
    done("isolate", 1309.8, { confirmed: true }),
    done("scan", 1308, { findings: 2 }),
    done("tell", 1307.9, { delivered: true }),
    done("note", 1307.8, { case_id: storyCaseId }),
  ]);
  putRun(stage, runs.triage, "triage-note", {}, null, 2510, [
    done("note", 2509.9, { case_id: storyCaseId }),
    { type: "FELL_DUE" },
  ]);
}

function putRun(
  { at, put }: Stage,
  id: string,
  playbookId: string,
  parameters: Record<string, unknown>,
  approval_id: string | null,
  minutes: number,
  events: readonly ExecutionEvent[],
): void {
  const playbook = builtInPlaybooks.find((each) => each.id === playbookId) as Playbook;
  const input = {
    ...{ id, playbook, parameters, approval_id, case_id: storyCaseId, alert_id: null },
    ...{ requested_by: "responder", simulated: false, at: at(minutes) },
    approval_expires_at: approval_id && expiresAt(at(minutes)),
  };
  put("executions", replay(executionMachine, executionOf, input, events).record);
}
