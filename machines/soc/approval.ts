/** One question to a person about one action: decided once, by somebody else, before its deadline. */
import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

export const approvalStatuses = ["pending", "approved", "rejected", "timeout", "cancelled"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export type ApprovalEvent =
  | { type: "DECIDE"; approved: boolean; reason: string | null; by: string; at: string }
  /** The approved action was started: an approval is good for one. */
  | { type: "USE"; by: string; at: string }
  | { type: "CANCEL"; reason: string; by: string; at: string }
  /** The deadline has passed. */
  | { type: "FELL_DUE"; at?: string };

export interface ApprovalInput {
  id: string;
  /** What is to be done, for people: a playbook's name, a tool's action, the review of a case. */
  action: string;
  justification: string | null;
  requested_by: string;
  /** The person behind the API key that asked. */
  owner?: string | null;
  playbook_id: string | null;
  execution_id: string | null;
  case_id: string | null;
  /** The case itself waits for this approval in `pending_approval`. */
  holds_case: boolean;
  parameters: Record<string, unknown>;
  requested_at: string;
  /** Absolute, so that it survives every restart. */
  expires_at: string;
}

export interface Approval extends ApprovalInput {
  owner: string | null;
  status: ApprovalStatus;
  decided_by: string | null;
  decided_at: string | null;
  reason: string | null;
  used_at: string | null;
  version: number;
}

type ApprovalContext = Omit<Approval, "version">;

export const defaultTtlHours = 4;

/** The deadline of a request made now. */
export function expiresAt(requested_at: string, ttl_hours: number = defaultTtlHours): string {
  return new Date(Date.parse(requested_at) + ttl_hours * 3_600_000).toISOString();
}

const question = setup({
  types: { context: {} as ApprovalContext, events: {} as ApprovalEvent, input: {} as ApprovalInput },
  guards: {
    isApproved: ({ event }) => event.type === "DECIDE" && event.approved,
  },
  actions: {
    rememberDecision: assign(({ event }) =>
      event.type === "DECIDE" || event.type === "CANCEL"
        ? { decided_by: event.by, decided_at: event.at, reason: event.reason }
        : {},
    ),
    rememberExpiry: assign(({ context }) => ({ decided_at: context.expires_at })),
    rememberUse: assign(({ event }) => (event.type === "USE" ? { used_at: event.at } : {})),
    // Effects: people are told that somebody waits; who waits is told how it ended.
    announce: () => {},
    reportEnd: () => {},
  },
});

/** Only where somebody waits: a run, or the case itself. */
const report = question.enqueueActions(({ context, enqueue }) => {
  if (context.execution_id !== null || context.holds_case) enqueue("reportEnd");
});

export const approvalMachine = question.createMachine({
  id: "approval",
  context: ({ input }) => ({
    ...input,
    owner: input.owner ?? null,
    status: "pending",
    decided_by: null,
    decided_at: null,
    reason: null,
    used_at: null,
  }),
  initial: "pending",
  states: {
    pending: {
      entry: "announce",
      on: {
        DECIDE: [
          { guard: "isApproved", target: "approved", actions: "rememberDecision" },
          { target: "rejected", actions: "rememberDecision" },
        ],
        FELL_DUE: { target: "timeout", actions: "rememberExpiry" },
        CANCEL: { target: "cancelled", actions: "rememberDecision" },
      },
    },
    approved: {
      entry: report,
      on: { USE: { actions: "rememberUse" } },
    },
    rejected: { entry: report },
    timeout: { entry: report },
    cancelled: { entry: report },
  },
});

/** The record as it is stored and shown. */
export function approvalOf(snapshot: SnapshotFrom<typeof approvalMachine>): ApprovalContext {
  return { ...snapshot.context, status: snapshot.value };
}

export function dueOf(record: ApprovalContext): number | null {
  return record.status === "pending" ? Date.parse(record.expires_at) : null;
}

export function refusalOf(record: Approval, event: ApprovalEvent): Refusal | null {
  switch (event.type) {
    case "DECIDE":
      if (event.by === record.requested_by || event.by === record.owner) {
        return { code: "forbidden", message: "nobody decides on their own request" };
      }
      return refuseEnded(record, event.at);
    case "USE":
      return refuseUse(record, event.at);
    case "CANCEL":
      return record.status === "pending" ? null : ended(record.status);
    case "FELL_DUE":
      return null;
  }
}

/** A decision that comes late is refused even where the timer has not come yet. */
function refuseEnded(record: Approval, at: string): Refusal | null {
  if (record.status !== "pending") return ended(record.status);
  return Date.parse(at) >= Date.parse(record.expires_at) ? ended("timeout") : null;
}

function refuseUse(record: Approval, at: string): Refusal | null {
  const late = Date.parse(at) >= Date.parse(record.expires_at);
  const status = record.status === "pending" && late ? "timeout" : record.status;
  if (status === "pending") {
    return { code: "conflict", message: "the approval is still pending", field: "approval_id" };
  }
  if (status !== "approved") {
    return { code: "forbidden", message: `the approval is ${status}`, field: "approval_id" };
  }
  if (record.used_at === null) return null;
  return { code: "conflict", message: "the approval was used before", field: "approval_id" };
}

function ended(status: ApprovalStatus): Refusal {
  return { code: "conflict", message: `the approval has ended: ${status}`, field: "status" };
}
