/** One alert: raised once per fingerprint, worked by people, closed with a verdict. */
import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import { type Moves, refuseMove, refuseStale } from "./moves.ts";

export const severities = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof severities)[number];

export const verdicts = [
  "true_positive",
  "false_positive",
  "benign",
  "duplicate",
  "test",
  "insufficient_data",
] as const;
export type Verdict = (typeof verdicts)[number];

export const alertStatuses = ["new", "triaged", "investigating", "resolved", "closed"] as const;
export type AlertStatus = (typeof alertStatuses)[number];

interface Step {
  by: string;
  at: string;
  /** From `If-Match`: the version that the caller saw. */
  at_version?: number;
}

/** What may change without a move. Title, source and indicators make the fingerprint and never change. */
export interface AlertChanges {
  severity?: Severity;
  description?: string;
  assignee?: string | null;
}

type Move = Step & { changes?: AlertChanges };

export type AlertEvent =
  | ({ type: "EDIT" } & Move)
  | ({ type: "TRIAGE" } & Move)
  | ({ type: "INVESTIGATE" } & Move)
  | ({ type: "RESOLVE" } & Move)
  | ({ type: "CLOSE"; verdict: Verdict } & Move)
  | ({ type: "PROMOTE"; case_id: string; description?: string; assignee?: string } & Step)
  | ({ type: "LINK"; case_id: string } & Step)
  /** The case took the alert by itself (it was created with it). */
  | ({ type: "CASE_TOOK"; case_id: string } & Step)
  | ({ type: "CASE_LEFT"; case_id: string } & Step)
  | ({ type: "DUPLICATED" } & Step);

/** What the case needs to know that an alert is promoted to. */
export interface NewCase {
  case_id: string;
  description: string | null;
  assignee: string | null;
  by: string;
}

interface Note {
  at: string;
  by: string;
  text: string;
}

export interface AlertInput {
  id: string;
  title: string;
  description: string;
  severity: Severity;
  source: string;
  iocs: string[];
  hash: string;
  site: string | null;
  mitre_techniques: string[];
  assignee: string | null;
  /** The rule that raised it; closing is recorded as feedback there. */
  rule_id: string | null;
  at: string;
}

export interface Alert extends Omit<AlertInput, "at"> {
  status: AlertStatus;
  verdict: Verdict | null;
  case_id: string | null;
  occurrences: number;
  notes: Note[];
  first_seen: string;
  last_seen: string;
  created_at: string;
  updated_at: string;
  version: number;
}

type AlertContext = Omit<Alert, "version">;

const notesKept = 20;

export const alertMoves: Moves<AlertStatus> = {
  new: ["triaged", "closed"],
  triaged: ["investigating", "closed"],
  investigating: ["resolved", "closed"],
  resolved: ["closed"],
  closed: ["triaged"],
};

/** The status that a command asks for, where it asks for one. */
const asked = {
  TRIAGE: "triaged",
  INVESTIGATE: "investigating",
  RESOLVE: "resolved",
  CLOSE: "closed",
} as const;

/** The text whose SHA-256 identifies an alert. */
export function dedupInput(title: string, source: string, iocs: readonly string[]): string {
  // The default order of sort() is by UTF-16 code unit, which is the decided one.
  return JSON.stringify([title, source, [...iocs].sort()]);
}

export const alertMachine = setup({
  types: { context: {} as AlertContext, events: {} as AlertEvent, input: {} as AlertInput },
  guards: {
    reopens: ({ context }) => context.verdict !== "false_positive" && context.verdict !== "test",
    hasRule: ({ context }) => context.rule_id !== null,
    isOpen: ({ context }) => context.verdict === null,
    isItsCase: ({ context, event }) => "case_id" in event && event.case_id === context.case_id,
  },
  actions: {
    change: assign(({ event }) => ({
      ...("changes" in event ? event.changes : {}),
      updated_at: event.at,
    })),
    judge: assign(({ context, event }) => ({
      verdict: event.type === "CLOSE" ? event.verdict : context.verdict,
    })),
    forgetVerdict: assign({ verdict: null }),
    count: assign(({ context, event }) => ({
      occurrences: context.occurrences + 1,
      last_seen: event.at,
      updated_at: event.at,
    })),
    joinCase: assign(({ context, event }) => ({
      case_id: "case_id" in event ? event.case_id : context.case_id,
      updated_at: event.at,
    })),
    leaveCase: assign(({ event }) => ({ case_id: null, updated_at: event.at })),
    note: assign(({ context, event }, text: string) => ({
      notes: [...context.notes, { at: event.at, by: event.by, text }].slice(-notesKept),
    })),
    // Appended: feedback on the rule that raised the alert.
    recordFeedback: (_, _params: { verdict: Verdict; by: string }) => {},
    // Effects: the case is opened, or told of its new alert.
    openCase: (_, _params: NewCase) => {},
    tellCase: (_, _params: { case_id: string; by: string }) => {},
  },
}).createMachine({
  id: "alert",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    status: "new",
    verdict: null,
    case_id: null,
    occurrences: 1,
    notes: [],
    first_seen: at,
    last_seen: at,
    created_at: at,
    updated_at: at,
  }),
  initial: "new",
  on: {
    EDIT: { actions: "change" },
    // Asked to be where it is: no move, but the rest of the change holds. `refusalOf` keeps illegal moves out.
    TRIAGE: { actions: "change" },
    INVESTIGATE: { actions: "change" },
    RESOLVE: { actions: "change" },
    CLOSE: [
      {
        guard: "hasRule",
        target: ".closed",
        actions: [
          "change",
          "judge",
          { type: "recordFeedback", params: ({ event }) => ({ verdict: event.verdict, by: event.by }) },
        ],
      },
      { target: ".closed", actions: ["change", "judge"] },
    ],
    DUPLICATED: { actions: "count" },
    PROMOTE: {
      guard: "isOpen",
      target: ".investigating",
      actions: [
        "joinCase",
        {
          type: "openCase",
          params: ({ event: { case_id, description, assignee, by } }) => ({
            case_id,
            description: description ?? null,
            assignee: assignee ?? null,
            by,
          }),
        },
      ],
    },
    LINK: {
      guard: "isOpen",
      target: ".investigating",
      actions: [
        "joinCase",
        { type: "tellCase", params: ({ event }) => ({ case_id: event.case_id, by: event.by }) },
      ],
    },
    CASE_TOOK: { guard: "isOpen", target: ".investigating", actions: "joinCase" },
    CASE_LEFT: {
      guard: "isItsCase",
      target: ".triaged",
      actions: [
        { type: "note", params: ({ event }) => `returned from case ${event.case_id}` },
        "leaveCase",
        "forgetVerdict",
      ],
    },
  },
  states: {
    new: { on: { TRIAGE: { target: "triaged", actions: "change" } } },
    triaged: { on: { INVESTIGATE: { target: "investigating", actions: "change" } } },
    investigating: { on: { RESOLVE: { target: "resolved", actions: "change" } } },
    resolved: {
      on: { DUPLICATED: { target: "triaged", actions: ["count", { type: "note", params: "seen again" }] } },
    },
    closed: {
      on: {
        TRIAGE: { target: "triaged", actions: ["change", "forgetVerdict"] },
        DUPLICATED: [
          {
            guard: "reopens",
            target: "triaged",
            actions: ["count", { type: "note", params: "seen again" }, "forgetVerdict"],
          },
          { actions: "count" },
        ],
      },
    },
  },
});

/** The record as it is stored and shown. */
export function alertOf(snapshot: SnapshotFrom<typeof alertMachine>): AlertContext {
  return { ...snapshot.context, status: snapshot.value };
}

export function refusalOf(record: Alert, event: AlertEvent): Refusal | null {
  const stale = refuseStale("alert", record, event);
  if (stale !== null) return stale;
  switch (event.type) {
    case "TRIAGE":
    case "INVESTIGATE":
    case "RESOLVE":
    case "CLOSE":
      return refuseMove("alert", alertMoves, record.status, asked[event.type]);
    case "PROMOTE":
    case "LINK":
    case "CASE_TOOK":
      return refuseCase(record, event.case_id, event.type === "PROMOTE");
    case "EDIT":
    case "CASE_LEFT":
    case "DUPLICATED":
      return null;
  }
}

function refuseCase(record: Alert, case_id: string, promotes: boolean): Refusal | null {
  if (record.case_id !== null && (promotes || record.case_id !== case_id)) {
    return {
      code: "conflict",
      message: `the alert already belongs to case ${record.case_id}`,
      field: "case_id",
    };
  }
  if (record.status === "closed") {
    return { code: "conflict", message: "the alert is closed; allowed: triaged", field: "status" };
  }
  return null;
}
