/** The stored run: its collection, and what its named actions mean here. */
import { DomainError } from "../../machines/errors.ts";
import type { ApprovalInput } from "../../machines/soc/approval.ts";
import { dueOf, executionMachine, executionOf, refusalOf } from "../../machines/soc/execution.ts";
import type { Execution, ExecutionEvent } from "../../machines/soc/execution-record.ts";
import type { EntityKind } from "../entity-kind.ts";
import { isoNow } from "./desk.ts";
import { performStep, type StepResult } from "./execution-steps.ts";
import type { ExecutionPorts } from "./executions.ts";

export const executionCollection = {
  name: "executions",
  indexes: [
    { fields: ["created_at"] },
    { fields: ["status", "created_at"] },
    { fields: ["playbook_id", "created_at"] },
    { fields: ["case_id", "created_at"] },
  ],
} as const;

/** What the effects need of the runs themselves. */
interface Runs {
  find(id: string): Promise<Execution | null>;
  tell(id: string, event: ExecutionEvent): Promise<unknown>;
  /** So that cancelling ends a call that is under way. */
  underWay: Map<string, AbortController>;
}

interface Try {
  step_id: string;
  attempt: number;
}

export function approvalFor(run: Execution): ApprovalInput {
  return {
    id: run.approval_id as string,
    action: `Run playbook ${run.playbook_name}`,
    justification: null,
    requested_by: run.requested_by,
    playbook_id: run.playbook_id,
    execution_id: run.id,
    case_id: run.case_id,
    holds_case: false,
    parameters: run.parameters,
    requested_at: run.created_at,
    expires_at: run.approval_expires_at as string,
  };
}

export function executionKind(
  ports: ExecutionPorts,
  runs: Runs,
): EntityKind<typeof executionMachine, Execution> {
  const { desk, approvals, cases } = ports;
  return {
    name: "execution",
    collection: executionCollection,
    machine: executionMachine,
    refusalOf,
    recordOf: executionOf,
    dueOf,
    effects: {
      performStep: (run, one: Try) => perform(ports, runs, run.id, one),
      requestApproval: async (run) => {
        await approvals().request(approvalFor(run));
        return undefined;
      },
      useApproval: async (_, { approval_id, by }: { approval_id: string; by: string }) => {
        await approvals().use(approval_id, by);
        return undefined;
      },
      cancelApproval: async (_, { approval_id, by }: { approval_id: string | null; by: string }) => {
        if (approval_id !== null) await approvals().cancel(approval_id, "the execution was cancelled", by);
        return undefined;
      },
      reportEnd: async ({ playbook_name, playbook_id, status, case_id, error }) => {
        if (case_id === null) return undefined;
        const by = `playbook:${playbook_id}`;
        const action = `playbook ${playbook_name}: ${status}${error === null ? "" : `, ${error}`}`;
        await cases()
          .tell(case_id, { type: "REPORT", action, by, at: isoNow(desk) }, { actor: by })
          .catch(unlessGone);
        return undefined;
      },
    },
  };
}

async function perform(
  ports: ExecutionPorts,
  runs: Runs,
  id: string,
  { step_id, attempt }: Try,
): Promise<ExecutionEvent | undefined> {
  const run = await runs.find(id);
  const step = run?.steps[run.current];
  const isOver = run?.status !== "running" || step?.id !== step_id || step.attempt !== attempt;
  if (isOver || step.state !== "running") return undefined;
  const control = new AbortController();
  runs.underWay.set(id, control);
  const at = () => isoNow(ports.desk);
  const markCalled = () =>
    runs.tell(id, { type: "STEP_CALLED", step_id, attempt, at: at() }).then(() => true, unlessConflict);
  try {
    const result = await performStep(ports, { run, step, signal: control.signal, markCalled });
    return eventOf(result, { step_id, attempt, at: at() });
  } finally {
    if (runs.underWay.get(id) === control) runs.underWay.delete(id);
  }
}

function eventOf(result: StepResult, said: Try & { at: string }): ExecutionEvent | undefined {
  if (result === null) return undefined;
  switch (result.outcome) {
    case "done":
      return { type: "STEP_DONE", ...said, receipt: result.receipt };
    case "failed":
      return { type: "STEP_FAILED", ...said, error: result.error };
    case "unknown":
      return { type: "STEP_UNKNOWN", ...said, error: result.error };
  }
}

function unlessConflict(error: unknown): false {
  if (error instanceof DomainError && error.code === "conflict") return false;
  throw error;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof DomainError) || error.code !== "not_found") throw error;
}
