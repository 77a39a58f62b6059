/** What a case is and what happens to it; `case.ts` is its chart. */
import type { Severity } from "./alert.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { Moves } from "./moves.ts";

export const caseStatuses = [
  "open",
  "investigating",
  "contained",
  "pending_approval",
  "resolved",
  "closed",
] as const;
export type CaseStatus = (typeof caseStatuses)[number];

export const resolutions = ["resolved", "false_positive", "benign", "duplicate", "no_action"] as const;
export type Resolution = (typeof resolutions)[number];

export const taskStatuses = ["todo", "in_progress", "done", "cancelled"] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const caseMoves: Moves<CaseStatus> = {
  open: ["investigating", "pending_approval"],
  investigating: ["contained", "pending_approval"],
  contained: ["resolved", "pending_approval"],
  pending_approval: [],
  resolved: ["closed"],
  closed: ["open"],
};

export interface Observable {
  id: string;
  type: string;
  value: string;
  source: string | null;
  tags: string[];
  context: Record<string, unknown>;
}

export interface Evidence {
  id: string;
  name: string;
  evidence_type: string;
  storage_url: string | null;
  sha256: string;
  location: string | null;
}

export interface Task {
  id: string;
  title: string;
  status: TaskStatus;
  assignee: string | null;
}

/** A ledger entry and the platform's signature over its hash. */
export interface SignedEntry {
  entry: LedgerEntry;
  signature: string;
}

export interface CaseChanges {
  title?: string;
  severity?: Severity;
  description?: string;
  assignee?: string | null;
}

interface Step {
  by: string;
  at: string;
  /** From `If-Match`, or the version on which a ledger entry was built. */
  at_version?: number;
}

type Move = Step & { changes?: CaseChanges };

export type CaseEvent =
  | ({ type: "EDIT" } & Move)
  | ({ type: "INVESTIGATE" } & Move)
  | ({ type: "CONTAIN" } & Move)
  | ({ type: "RESOLVE" } & Move)
  | ({ type: "CLOSE"; resolution: Resolution; summary: string } & Move)
  | ({ type: "REOPEN" } & Move)
  | ({ type: "REQUEST_APPROVAL"; approval_id: string } & Move)
  | ({ type: "WITHDRAW_APPROVAL" } & Move)
  | ({ type: "APPROVAL_ENDED"; approval_id: string; outcome: string; reason: string | null } & Step)
  | ({ type: "ALERT_LINKED"; alert_id: string } & Step)
  /** The alert went elsewhere, or is not there. */
  | ({ type: "ALERT_LOST"; alert_id: string; reason: string } & Step)
  | ({ type: "ADD_OBSERVABLE"; observable: Observable } & Step)
  | ({ type: "ADD_COMMENT"; id: string; body: string } & Step)
  | ({ type: "ADD_TASK"; task: Task } & Step)
  | ({ type: "CHANGE_TASK"; task: Task } & Step)
  /** `chain` is all of it so far; the last entry is its head. */
  | ({ type: "ADD_EVIDENCE"; evidence: Evidence; chain: SignedEntry[] } & Step)
  | ({ type: "RECORD_CUSTODY"; name: string; head: SignedEntry } & Step)
  /** A step of the platform worth a line: an agent's finding, a playbook's receipt. */
  | ({ type: "REPORT"; action: string } & Step)
  | ({ type: "DELETE" } & Step);

export interface CaseInput {
  id: string;
  title: string;
  description: string;
  severity: Severity;
  assignee: string | null;
  alert_ids: string[];
  /** Set when an alert was promoted: that alert is linked already. */
  promoted_from: string | null;
  by: string;
  at: string;
}

export interface Case {
  id: string;
  title: string;
  description: string;
  severity: Severity;
  /** `deleted` is the tombstone; the API does not show it. */
  status: CaseStatus | "deleted";
  assignee: string | null;
  alert_ids: string[];
  promoted_from: string | null;
  requires_human_approval: boolean;
  approval_id: string | null;
  came_from: "open" | "investigating" | "contained" | null;
  resolution: Resolution | null;
  summary: string | null;
  created_by: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  deleted_by: string | null;
  version: number;
}
