/** What a playbook's run is and what happens to it; `execution.ts` is its chart. */

export const stepTypes = [
  "http_request",
  "isolate_endpoint",
  "unisolate_endpoint",
  "scan_endpoint",
  "block_ioc",
  "create_case",
  "comment",
  "assign",
  "notify",
  "run_hunt",
  "revoke_certificate",
  "human_input",
  "condition",
  "wait",
  "generate_report",
] as const;
export type StepType = (typeof stepTypes)[number];

/** Those that reach beyond the platform: whether they happened is not ours to know after a silence. */
const external: readonly StepType[] = [
  "http_request",
  "isolate_endpoint",
  "unisolate_endpoint",
  "scan_endpoint",
  "notify",
  "revoke_certificate",
];

export function isExternal(type: StepType): boolean {
  return external.includes(type);
}

/**
 * What a failed step means for the run: `stop` fails it, `continue` goes on, `retry` tries up to three times
 * and then stops, `ask` puts the question to a person.
 */
export const onErrors = ["stop", "continue", "retry", "ask"] as const;
export type OnError = (typeof onErrors)[number];

export interface PlaybookStep {
  id: string;
  type: StepType;
  name: string;
  params: Record<string, unknown>;
  on_error: OnError;
  timeout_s: number;
}

export interface Playbook {
  id: string;
  name: string;
  description: string;
  critical: boolean;
  enabled: boolean;
  trigger: string;
  steps: PlaybookStep[];
}

export const stepStates = [
  "pending",
  "running",
  "waiting",
  "retrying",
  "unknown",
  "completed",
  "failed",
  "skipped",
  "cancelled",
] as const;
export type StepState = (typeof stepStates)[number];

export interface RunStep extends PlaybookStep {
  state: StepState;
  /** Counts the tries; an answer to an earlier one is late. */
  attempt: number;
  /** Sent as `Idempotency-Key`; another one only after a certain failure. */
  key: string;
  started_at: string | null;
  /** Set before an adapter is asked that honours no keys: it is asked once. */
  called_at: string | null;
  /** How often this try was given its time anew after the platform had been away. */
  resumed: number;
  ended_at: string | null;
  receipt: unknown;
  error: string | null;
}

/** What a run that waits for a person waits for. */
export interface WaitingFor {
  kind: "input" | "unknown" | "error";
  step_id: string;
  prompt: string;
  choices: string[];
}

export const decisions = ["done", "retry", "skip", "abort"] as const;
export type Decision = (typeof decisions)[number];

export type ExecutionEvent =
  /** The replay with an approval; `parameters` as far as the caller repeats them. */
  | { type: "START"; approval_id: string; parameters?: Record<string, unknown>; by: string; at: string }
  | { type: "APPROVAL_ENDED"; approval_id: string; outcome: string; at: string }
  /** An adapter that honours no keys is about to be asked. */
  | { type: "STEP_CALLED"; step_id: string; attempt: number; at: string }
  | { type: "STEP_DONE"; step_id: string; attempt: number; receipt: unknown; at: string }
  | { type: "STEP_FAILED"; step_id: string; attempt: number; error: string; at: string }
  /** Nobody can say whether it happened. */
  | { type: "STEP_UNKNOWN"; step_id: string; attempt: number; error: string; at: string }
  | { type: "INPUT"; step_id?: string; decision?: Decision; input?: unknown; by: string; at: string }
  | { type: "CANCEL"; reason: string | null; by: string; at: string }
  /** `at` is now: after a stop of the platform that may be long after the deadline. */
  | { type: "FELL_DUE"; at?: string };

export interface ExecutionInput {
  id: string;
  playbook: Playbook;
  parameters: Record<string, unknown>;
  case_id: string | null;
  alert_id: string | null;
  requested_by: string;
  /** Set when the playbook is critical: nothing runs before that approval is replayed. */
  approval_id: string | null;
  approval_expires_at: string | null;
  /** External steps leave receipts with `simulated: true` and touch nothing. */
  simulated: boolean;
  at: string;
}

export const executionStatuses = ["pending_approval", "running", "completed", "failed", "cancelled"] as const;

export interface Execution {
  id: string;
  playbook_id: string;
  playbook_name: string;
  status: (typeof executionStatuses)[number];
  requires_approval: boolean;
  approval_id: string | null;
  /** Good for the decision and for the replay. */
  approval_expires_at: string | null;
  parameters: Record<string, unknown>;
  case_id: string | null;
  alert_id: string | null;
  requested_by: string;
  simulated: boolean;
  steps: RunStep[];
  steps_total: number;
  steps_completed: number;
  /** The step that runs or waits. */
  current: number;
  waiting_for: WaitingFor | null;
  /** Whatever is under way ends or is looked at by then: no run stays stuck. */
  due_at: string | null;
  error: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  updated_at: string;
  version: number;
}

export type ExecutionContext = Omit<Execution, "version">;
