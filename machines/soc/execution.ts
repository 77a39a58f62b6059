/** One run of a playbook: every step's state, times and receipt are kept as they happen. */
import canonicalize from "canonicalize";
import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import type { Execution, ExecutionContext, ExecutionEvent, ExecutionInput } from "./execution-record.ts";
import * as steps from "./execution-steps.ts";

/** After the approval's own deadline, in case its end was never heard of. */
const approvalGraceS = 60;

const run = setup({
  types: { context: {} as ExecutionContext, events: {} as ExecutionEvent, input: {} as ExecutionInput },
  guards: {
    needsNoApproval: ({ context }) => !context.requires_approval,
    isDone: ({ context }) => context.error === null && context.current >= context.steps.length,
    isBroken: ({ context }) => context.error !== null,
    /** An answer to an earlier try, or to a step that is over. */
    isLate: ({ context, event }) => {
      const step = steps.currentStep(context);
      if (!("attempt" in event)) return false;
      return (
        step?.id !== event.step_id ||
        step.attempt !== event.attempt ||
        (step.state !== "running" && step.state !== "unknown")
      );
    },
    isOthersApproval: ({ context, event }) =>
      "approval_id" in event && event.approval_id !== context.approval_id,
    isApproved: ({ event }) => event.type === "APPROVAL_ENDED" && event.outcome === "approved",
  },
  actions: {
    begin: assign(({ context, event }) => {
      const at = event.type === "START" ? event.at : context.created_at;
      return steps.begin({ ...context, started_at: at }, at);
    }),
    markCalled: assign(({ context, event }) =>
      event.type === "STEP_CALLED" ? steps.called(context, event.at) : context,
    ),
    finishStep: assign(({ context, event }) =>
      event.type === "STEP_DONE"
        ? steps.finish(context, "completed", event.at, { receipt: event.receipt, error: null })
        : context,
    ),
    failStep: assign(({ context, event }) =>
      event.type === "STEP_FAILED" ? steps.fail(context, event.error, event.at) : context,
    ),
    doubtStep: assign(({ context, event }) =>
      event.type === "STEP_UNKNOWN" ? steps.doubt(context, event.error, event.at) : context,
    ),
    takeInput: assign(({ context, event }) => (event.type === "INPUT" ? answered(context, event) : context)),
    passDeadline: assign(({ context, event }) => steps.overdue(context, timeOf(context, event))),
    end: assign(({ context }) => ({ due_at: null, waiting_for: null, ended_at: context.updated_at })),
    cancel: assign(({ context, event }) => {
      const at = timeOf(context, event);
      return {
        steps: context.steps.map((step) =>
          step.ended_at === null ? { ...step, state: "cancelled" as const, ended_at: at } : step,
        ),
        error: "reason" in event && event.reason ? event.reason : null,
        updated_at: at,
      };
    }),
    // Effects, performed after the swap and again after a crash with the same key.
    performStep: (_, _params: { step_id: string; attempt: number; key: string }) => {},
    requestApproval: () => {},
    useApproval: (_, _params: { approval_id: string; by: string }) => {},
    cancelApproval: (_, _params: { approval_id: string | null; by: string }) => {},
    reportEnd: () => {},
  },
});

/** Whatever the step before led to: when a step is to be tried now, ask for it. */
const perform = run.enqueueActions(({ context, enqueue }) => {
  const step = steps.currentStep(context);
  if (step?.state !== "running" || context.error !== null) return;
  enqueue({ type: "performStep", params: { step_id: step.id, attempt: step.attempt, key: step.key } });
});

/** Only where somebody waits: the case whose timeline it goes into. */
const report = run.enqueueActions(({ context, enqueue }) => {
  if (context.case_id !== null) enqueue("reportEnd");
});

const askForApproval = run.enqueueActions(({ context, enqueue }) => {
  if (context.requires_approval) enqueue("requestApproval");
});

export const executionMachine = run.createMachine({
  id: "execution",
  context: ({ input }) => ({
    id: input.id,
    playbook_id: input.playbook.id,
    playbook_name: input.playbook.name,
    status: "pending_approval",
    requires_approval: input.approval_id !== null,
    approval_id: input.approval_id,
    approval_expires_at: input.approval_expires_at,
    parameters: input.parameters,
    case_id: input.case_id,
    alert_id: input.alert_id,
    requested_by: input.requested_by,
    simulated: input.simulated,
    steps: input.playbook.steps.map((step) => ({ ...step, ...untouched })),
    steps_total: input.playbook.steps.length,
    steps_completed: 0,
    current: 0,
    waiting_for: null,
    due_at: input.approval_expires_at && steps.later(input.approval_expires_at, approvalGraceS),
    error: null,
    created_at: input.at,
    started_at: null,
    ended_at: null,
    updated_at: input.at,
  }),
  initial: "pending_approval",
  states: {
    pending_approval: {
      entry: askForApproval,
      always: { guard: "needsNoApproval", target: "running", actions: ["begin", perform] },
      on: {
        START: {
          target: "running",
          actions: [
            "begin",
            {
              type: "useApproval",
              params: ({ event }) => ({ approval_id: event.approval_id, by: event.by }),
            },
            perform,
          ],
        },
        // Approving runs nothing: that takes the replay.
        APPROVAL_ENDED: [
          { guard: "isOthersApproval" },
          { guard: "isApproved" },
          { target: "cancelled", actions: "cancel" },
        ],
        FELL_DUE: { target: "cancelled", actions: "cancel" },
        CANCEL: {
          target: "cancelled",
          actions: [
            "cancel",
            {
              type: "cancelApproval",
              params: ({ context, event }) => ({ approval_id: context.approval_id, by: event.by }),
            },
          ],
        },
      },
    },
    running: {
      always: [
        { guard: "isBroken", target: "failed" },
        { guard: "isDone", target: "completed" },
      ],
      on: {
        STEP_CALLED: { actions: "markCalled" },
        STEP_DONE: [{ guard: "isLate" }, { actions: ["finishStep", perform] }],
        STEP_FAILED: [{ guard: "isLate" }, { actions: ["failStep", perform] }],
        STEP_UNKNOWN: [{ guard: "isLate" }, { actions: ["doubtStep", perform] }],
        INPUT: { actions: ["takeInput", perform] },
        FELL_DUE: { actions: ["passDeadline", perform] },
        CANCEL: { target: "cancelled", actions: "cancel" },
      },
    },
    completed: { entry: ["end", report] },
    failed: { entry: ["end", report] },
    cancelled: { entry: ["end", report] },
  },
});

function timeOf(context: ExecutionContext, event: ExecutionEvent): string {
  return event.at ?? context.due_at ?? context.updated_at;
}

const untouched = {
  state: "pending",
  attempt: 0,
  key: "",
  started_at: null,
  called_at: null,
  resumed: 0,
  ended_at: null,
  receipt: null,
  error: null,
} as const;

/** A person answers: a value for the step that asked for one, a decision for one in doubt. */
function answered(
  context: ExecutionContext,
  event: Extract<ExecutionEvent, { type: "INPUT" }>,
): ExecutionContext {
  const { by, at, input } = event;
  if (context.waiting_for?.kind === "input") {
    return steps.finish(context, "completed", at, { receipt: { input: input ?? null, by } });
  }
  switch (event.decision) {
    case "done":
      return steps.finish(context, "completed", at, { receipt: { confirmed_by: by }, error: null });
    case "retry":
      return steps.again(context, at);
    case "skip":
      return steps.finish(context, "skipped", at);
    case "abort":
    case undefined:
      return steps.broken(context, `given up by ${by}`, at);
  }
}

/** The record as it is stored and shown. */
export function executionOf(snapshot: SnapshotFrom<typeof executionMachine>): ExecutionContext {
  return { ...snapshot.context, status: snapshot.value };
}

export function dueOf(record: ExecutionContext): number | null {
  return record.due_at === null ? null : Date.parse(record.due_at);
}

export function refusalOf(record: Execution, event: ExecutionEvent): Refusal | null {
  switch (event.type) {
    case "START":
      return refuseStart(record, event);
    case "INPUT":
      return refuseInput(record, event);
    case "CANCEL":
      if (record.status === "pending_approval" || record.status === "running") return null;
      return { code: "conflict", message: `the execution has ended: ${record.status}`, field: "status" };
    case "STEP_CALLED":
      return refuseCall(record, event);
    case "APPROVAL_ENDED":
    case "STEP_DONE":
    case "STEP_FAILED":
    case "STEP_UNKNOWN":
    case "FELL_DUE":
      return null;
  }
}

function refuseCall(
  { status, steps: all, current }: Execution,
  { step_id, attempt }: Extract<ExecutionEvent, { type: "STEP_CALLED" }>,
): Refusal | null {
  const step = all[current];
  if (status !== "running" || step?.id !== step_id || step.attempt !== attempt || step.state !== "running") {
    return { code: "conflict", message: "that try is over", field: "attempt" };
  }
  if (step.called_at === null) return null;
  return { code: "conflict", message: "the adapter was asked before", field: "called_at" };
}

function refuseStart(
  record: Execution,
  { approval_id, parameters, at }: Extract<ExecutionEvent, { type: "START" }>,
): Refusal | null {
  const field = "approval_id";
  if (record.approval_id !== approval_id) {
    return { code: "conflict", message: "the approval is for another execution", field };
  }
  if (record.started_at !== null) return { code: "conflict", message: "the approval was used before", field };
  if (record.status !== "pending_approval") {
    return { code: "forbidden", message: `the execution is ${record.status}`, field };
  }
  if (record.approval_expires_at !== null && Date.parse(at) >= Date.parse(record.approval_expires_at)) {
    return { code: "forbidden", message: "the approval has expired", field };
  }
  if (parameters === undefined || canonicalize(parameters) === canonicalize(record.parameters)) return null;
  return { code: "conflict", message: "the approval is for other parameters", field: "parameters" };
}

function refuseInput(record: Execution, event: Extract<ExecutionEvent, { type: "INPUT" }>): Refusal | null {
  const wanted = record.waiting_for;
  if (wanted === null) return { code: "conflict", message: "the execution waits for no input" };
  if (event.step_id !== undefined && event.step_id !== wanted.step_id) {
    return { code: "conflict", message: `the execution waits at step ${wanted.step_id}`, field: "step_id" };
  }
  if (wanted.kind === "input" || wanted.choices.includes(event.decision ?? "")) return null;
  const message = `decision must be one of ${wanted.choices.join(", ")}`;
  return { code: "invalid_input", message, field: "decision" };
}
