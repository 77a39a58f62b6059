/** What each type of step does, on the platform and beyond it. Everything here may be done twice without harm. */
import type { CallGuarded } from "../../drivers/http-adapter/guarded-call.ts";
import type { Outcome } from "../../drivers/http-adapter/outcome.ts";
import { sha256 } from "../../drivers/keys/ed25519.ts";
import type { Notifier } from "../../drivers/notify/notify.ts";
import { DomainError } from "../../machines/errors.ts";
import { type Severity, severities } from "../../machines/soc/alert.ts";
import { caseCollections } from "../../machines/soc/case-documents.ts";
import {
  type Execution,
  isExternal,
  type RunStep,
  type StepType,
} from "../../machines/soc/execution-record.ts";
import { filled } from "../../machines/soc/playbooks.ts";
import type { Alerts } from "./alerts.ts";
import { askOutside } from "./ask-outside.ts";
import type { Cases } from "./cases.ts";
import { type Desk, isoNow } from "./desk.ts";
import type { Endpoints } from "./edr.ts";
import { answerOf, httpCall } from "./execution-http.ts";
import { blockIoc } from "./execution-iocs.ts";
import { playbookNote } from "./notify.ts";

export interface StepWorld {
  desk: Desk;
  cases(): Pick<Cases, "live" | "tell" | "change" | "openOnce">;
  alerts(): Pick<Alerts, "change" | "get">;
  endpoints(): Pick<Endpoints, "actFor">;
  notifier: Notifier | null;
  callGuarded: CallGuarded;
}

export interface StepJob {
  run: Execution;
  step: RunStep;
  signal: AbortSignal;
  /** Notes that an adapter which honours no keys is about to be asked; false when it was before. */
  markCalled(): Promise<boolean>;
}

/** Null when the answer comes later, from elsewhere. */
export type StepResult =
  | { outcome: "done"; receipt: unknown }
  | { outcome: "failed" | "unknown"; error: string }
  | null;

type Params = Record<string, unknown>;
type Perform = (world: StepWorld, job: StepJob, params: Params) => Promise<StepResult>;

const done = (receipt: unknown): StepResult => ({ outcome: "done", receipt });
const failed = (error: string): StepResult => ({ outcome: "failed", error });
const idOf = (kind: string, key: string) => `${kind}-${sha256(key).slice(0, 32)}`;
const actorOf = ({ playbook_id }: Execution) => `playbook:${playbook_id}`;

const notYet: Perform = async (_, { step }) => failed(`${step.type} is not available in this release`);
/** Decided by the chart itself. */
const never: Perform = async (_, { step }) => failed(`${step.type} is not performed`);

const act =
  (action: "isolate" | "unisolate" | "scan"): Perform =>
  async ({ endpoints }, { run, step }, params) => {
    const said = await endpoints().actFor({
      endpoint_id: textOf(params.endpoint_id),
      action,
      key: step.key,
      by: actorOf(run),
      reason: textOf(params.reason) || `${run.playbook_name}: ${step.name}`,
      limitMs: step.timeout_s * 1000,
      execution_id: run.id,
      step_id: step.id,
    });
    if (said === null || said.outcome === "done") return said && done(said.receipt);
    return { outcome: said.outcome, error: String(said.receipt) };
  };

const performers: Record<StepType, Perform> = {
  isolate_endpoint: act("isolate"),
  unisolate_endpoint: act("unisolate"),
  scan_endpoint: act("scan"),

  http_request: async ({ callGuarded }, job, params) => outside(job, httpCall(callGuarded, job, params)),

  notify: async ({ notifier, desk }, job, params) => {
    if (!notifier) return failed("no notification address is configured");
    const note = playbookNote(job.run, textOf(params.text), isoNow(desk));
    return outside(job, {
      honoursKeys: params.idempotent === true,
      ask: (timeoutMs) => notifier.send(note, job.step.key, { timeoutMs, signal: job.signal }),
    });
  },

  block_ioc: async ({ desk }, { run }, params) =>
    done(await blockIoc(desk, textOf(params.value), params.type ?? null, actorOf(run))),

  create_case: async ({ cases, desk }, { run, step }, params) => {
    const id = idOf("case", step.key);
    const severity = severities.find((known) => known === params.severity) ?? ("medium" as Severity);
    await cases().openOnce({
      ...{ id, severity, title: textOf(params.title) || run.playbook_name },
      description: textOf(params.description),
      assignee: textOf(params.assignee) || null,
      ...{ alert_ids: run.alert_id === null ? [] : [run.alert_id], promoted_from: null },
      ...{ by: actorOf(run), at: isoNow(desk) },
    });
    return done({ case_id: id });
  },

  comment: async ({ cases, desk }, { run, step }, params) => {
    const case_id = textOf(params.case_id) || run.case_id;
    if (case_id === null) return failed("the run has no case");
    const id = idOf("comment", step.key);
    if (!(await desk.store.get(caseCollections.comments, id))) {
      const by = actorOf(run);
      const event = { type: "ADD_COMMENT", id, body: textOf(params.body), by, at: isoNow(desk) } as const;
      await cases().tell(case_id, event, { actor: by });
    }
    return done({ case_id, comment_id: id });
  },

  assign: async ({ cases, alerts }, { run }, params) => {
    const assignee = textOf(params.assignee);
    const case_id = textOf(params.case_id) || run.case_id;
    const asker = { actor: actorOf(run) };
    if (case_id !== null) {
      const { assignee: before } = await cases().live(case_id);
      if (before !== assignee) await cases().change(case_id, { assignee }, asker);
      return done({ case_id, assignee });
    }
    if (run.alert_id === null) return failed("the run has neither a case nor an alert");
    await alerts().change(run.alert_id, { assignee }, asker);
    return done({ alert_id: run.alert_id, assignee });
  },

  run_hunt: notYet,
  revoke_certificate: notYet,
  generate_report: notYet,
  human_input: never,
  condition: never,
  wait: never,
};

export async function performStep(world: StepWorld, job: StepJob): Promise<StepResult> {
  const { run, step } = job;
  const { case_id, alert_id, id: execution_id } = run;
  const values = { ...run.parameters, case_id, alert_id, execution_id };
  // The address is filled where it is called: values inside it are escaped.
  const { url, ...params } = step.params;
  const full: Params = { ...filled(params, values), ...(url === undefined ? {} : { url }) };
  if (run.simulated && isExternal(step.type)) {
    return done({ simulated: true, would: { type: step.type, ...full } });
  }
  try {
    return await performers[step.type](world, job, full);
  } catch (error) {
    const answer =
      error instanceof DomainError && !["unavailable", "overloaded", "timeout"].includes(error.code);
    if (!answer) throw error;
    return failed(error.message);
  }
}

async function outside(
  { step, signal, markCalled }: StepJob,
  call: { honoursKeys: boolean; ask(timeoutMs: number): Promise<Outcome> },
): Promise<StepResult> {
  const outcome = await askOutside<Outcome>({
    ...call,
    ...{ markCalled, signal, limitMs: step.timeout_s * 1000 },
    isUnknown: ({ kind }) => kind === "unknown",
  });
  if (!outcome) return { outcome: "unknown", error: "the platform stopped while it was asking" };
  if (outcome.kind === "answered") return done(answerOf(outcome.reply));
  return { outcome: outcome.kind === "refused" ? "failed" : "unknown", error: outcome.error };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
