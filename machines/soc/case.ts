/** One case, from opening to closing. Its timeline is written by this chart and by nobody else. */
import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import type {
  Case,
  CaseEvent,
  CaseInput,
  CaseStatus,
  Evidence,
  Observable,
  SignedEntry,
  Task,
} from "./case-record.ts";
import { caseMoves } from "./case-record.ts";
import { lineOf } from "./case-timeline.ts";
import { refuseMove, refuseStale } from "./moves.ts";

type CaseContext = Omit<Case, "version">;

/** A case of thousands of alerts is a campaign, and its record would be read and written whole. */
export const alertsKept = 1000;

/** The status that a command asks for, where it asks for one. */
const asked = {
  INVESTIGATE: "investigating",
  CONTAIN: "contained",
  RESOLVE: "resolved",
  CLOSE: "closed",
  REOPEN: "open",
  REQUEST_APPROVAL: "pending_approval",
} as const satisfies Partial<Record<CaseEvent["type"], CaseStatus>>;

interface At {
  context: CaseContext;
  event: CaseEvent;
}
const writeLine = { type: "addTimeline", params: ({ event }: At) => ({ action: lineOf(event) }) } as const;
const withdraw = {
  type: "cancelApprovals",
  params: ({ event: { by } }: At) => ({ by, scope: "review" as const }),
} as const;
const ask = {
  type: "requestApproval",
  params: ({ context: { approval_id }, event: { by, at } }: At) => ({
    approval_id: approval_id ?? "",
    by,
    at,
  }),
} as const;

const work = setup({
  types: { context: {} as CaseContext, events: {} as CaseEvent, input: {} as CaseInput },
  guards: {
    isOthersApproval: ({ context, event }) =>
      event.type === "APPROVAL_ENDED" && event.approval_id !== context.approval_id,
    hasAlert: ({ context, event }) => "alert_id" in event && context.alert_ids.includes(event.alert_id),
    cameFromOpen: ({ context }) => context.came_from === "open",
    cameFromInvestigating: ({ context }) => context.came_from === "investigating",
  },
  actions: {
    change: assign(({ event }) => ({ ...("changes" in event ? event.changes : {}), updated_at: event.at })),
    rememberClosing: assign(({ event }) =>
      event.type === "CLOSE"
        ? { resolution: event.resolution, summary: event.summary, closed_at: event.at }
        : {},
    ),
    forgetClosing: assign({ resolution: null, summary: null, closed_at: null }),
    awaitApproval: assign(({ event }, came_from: "open" | "investigating" | "contained") => ({
      came_from,
      requires_human_approval: true,
      approval_id: event.type === "REQUEST_APPROVAL" ? event.approval_id : null,
    })),
    forgetApproval: assign({ came_from: null, requires_human_approval: false, approval_id: null }),
    takeAlert: assign(({ context, event }) =>
      event.type === "ALERT_LINKED"
        ? { alert_ids: [...context.alert_ids, event.alert_id], updated_at: event.at }
        : {},
    ),
    dropAlert: assign(({ context, event }) =>
      event.type === "ALERT_LOST"
        ? { alert_ids: context.alert_ids.filter((id) => id !== event.alert_id), updated_at: event.at }
        : {},
    ),
    bury: assign(({ event }) => ({
      description: "",
      alert_ids: [],
      summary: null,
      deleted_by: event.by,
      updated_at: event.at,
    })),
    // Appended, in the same commit.
    addTimeline: (_, _params: { action: string }) => {},
    addObservable: (_, _params: Observable) => {},
    addComment: (_, _params: { id: string; body: string }) => {},
    addTask: (_, _params: Task) => {},
    addEvidence: (_, _params: Evidence) => {},
    addLedgerEntry: (_, _params: SignedEntry) => {},
    publishHead: (_, _params: SignedEntry) => {},
    // Effects on others, performed after the swap.
    takeAlerts: (_, _params: { alert_ids: string[]; by: string }) => {},
    releaseAlerts: (_, _params: { by: string }) => {},
    requestApproval: (_, _params: { approval_id: string; by: string; at: string }) => {},
    cancelApprovals: (_, _params: { by: string; scope: "review" | "all" }) => {},
  },
});

/** A promoted alert is linked already; the others are told. */
const takeAlerts = work.enqueueActions(({ context: { alert_ids, promoted_from, created_by }, enqueue }) => {
  const told = alert_ids.filter((id) => id !== promoted_from);
  if (told.length > 0) enqueue({ type: "takeAlerts", params: { alert_ids: told, by: created_by } });
});

const beginChain = work.enqueueActions(({ event, enqueue }) => {
  if (event.type !== "ADD_EVIDENCE") return;
  for (const params of event.chain) enqueue({ type: "addLedgerEntry", params });
  const head = event.chain.at(-1);
  if (head) enqueue({ type: "publishHead", params: head });
});

export const caseMachine = work.createMachine({
  id: "case",
  context: ({ input: { by, at, ...input } }) => ({
    ...input,
    status: "open",
    requires_human_approval: false,
    approval_id: null,
    came_from: null,
    resolution: null,
    summary: null,
    created_by: by,
    created_at: at,
    updated_at: at,
    closed_at: null,
    deleted_by: null,
  }),
  entry: [
    { type: "addTimeline", params: ({ context }) => ({ action: openingLine(context.alert_ids) }) },
    takeAlerts,
  ],
  initial: "open",
  on: {
    EDIT: { actions: ["change", writeLine] },
    // Asked to be where it is: no move, but the rest of the change holds. `refusalOf` keeps illegal moves out.
    INVESTIGATE: { actions: "change" },
    CONTAIN: { actions: "change" },
    RESOLVE: { actions: "change" },
    CLOSE: { actions: ["change", "rememberClosing"] },
    REOPEN: { actions: "change" },
    REQUEST_APPROVAL: { actions: "change" },
    WITHDRAW_APPROVAL: { actions: "change" },
    // The end of an approval that was withdrawn meanwhile.
    APPROVAL_ENDED: {},
    // Both may be told twice, by the request and after a crash by the effect.
    ALERT_LINKED: [{ guard: "hasAlert" }, { actions: ["takeAlert", writeLine] }],
    ALERT_LOST: [{ guard: "hasAlert", actions: ["dropAlert", writeLine] }, {}],
    ADD_OBSERVABLE: {
      actions: ["change", { type: "addObservable", params: ({ event }) => event.observable }, writeLine],
    },
    ADD_COMMENT: {
      actions: [
        "change",
        { type: "addComment", params: ({ event: { id, body } }) => ({ id, body }) },
        writeLine,
      ],
    },
    ADD_TASK: { actions: ["change", { type: "addTask", params: ({ event }) => event.task }, writeLine] },
    CHANGE_TASK: { actions: ["change", { type: "addTask", params: ({ event }) => event.task }, writeLine] },
    ADD_EVIDENCE: {
      actions: [
        "change",
        { type: "addEvidence", params: ({ event }) => event.evidence },
        beginChain,
        writeLine,
      ],
    },
    RECORD_CUSTODY: {
      actions: [
        "change",
        { type: "addLedgerEntry", params: ({ event }) => event.head },
        { type: "publishHead", params: ({ event }) => event.head },
        writeLine,
      ],
    },
    REPORT: { actions: ["change", writeLine] },
    DELETE: {
      target: ".deleted",
      actions: [
        "bury",
        writeLine,
        { type: "releaseAlerts", params: ({ event }) => ({ by: event.by }) },
        { type: "cancelApprovals", params: ({ event }) => ({ by: event.by, scope: "all" as const }) },
      ],
    },
  },
  states: {
    open: {
      on: {
        INVESTIGATE: { target: "investigating", actions: ["change", writeLine] },
        REQUEST_APPROVAL: {
          target: "pending_approval",
          actions: [{ type: "awaitApproval", params: "open" }, ask, "change", writeLine],
        },
      },
    },
    investigating: {
      on: {
        CONTAIN: { target: "contained", actions: ["change", writeLine] },
        REQUEST_APPROVAL: {
          target: "pending_approval",
          actions: [{ type: "awaitApproval", params: "investigating" }, ask, "change", writeLine],
        },
      },
    },
    contained: {
      on: {
        RESOLVE: { target: "resolved", actions: ["change", writeLine] },
        REQUEST_APPROVAL: {
          target: "pending_approval",
          actions: [{ type: "awaitApproval", params: "contained" }, ask, "change", writeLine],
        },
      },
    },
    pending_approval: {
      on: {
        APPROVAL_ENDED: [
          { guard: "isOthersApproval" },
          { guard: "cameFromOpen", target: "open", actions: ["forgetApproval", "change", writeLine] },
          {
            guard: "cameFromInvestigating",
            target: "investigating",
            actions: ["forgetApproval", "change", writeLine],
          },
          { target: "contained", actions: ["forgetApproval", "change", writeLine] },
        ],
        WITHDRAW_APPROVAL: [
          {
            guard: "cameFromOpen",
            target: "open",
            actions: [withdraw, "forgetApproval", "change", writeLine],
          },
          {
            guard: "cameFromInvestigating",
            target: "investigating",
            actions: [withdraw, "forgetApproval", "change", writeLine],
          },
          { target: "contained", actions: [withdraw, "forgetApproval", "change", writeLine] },
        ],
      },
    },
    resolved: { on: { CLOSE: { target: "closed", actions: ["change", "rememberClosing", writeLine] } } },
    closed: { on: { REOPEN: { target: "open", actions: ["change", "forgetClosing", writeLine] } } },
    deleted: { type: "final" },
  },
});

function openingLine(alert_ids: readonly string[]): string {
  return alert_ids.length === 0 ? "opened the case" : `opened the case with alerts ${alert_ids.join(", ")}`;
}

/** The record as it is stored and shown. */
export function caseOf(snapshot: SnapshotFrom<typeof caseMachine>): CaseContext {
  return { ...snapshot.context, status: snapshot.value };
}

export function refusalOf(record: Case, event: CaseEvent): Refusal | null {
  if (record.status === "deleted") return { code: "not_found", message: `there is no case ${record.id}` };
  const stale = refuseStale("case", record, event);
  if (stale !== null) return stale;
  if (event.type in asked) {
    return refuseMove("case", caseMoves, record.status, asked[event.type as keyof typeof asked]);
  }
  if (event.type === "ALERT_LINKED" && record.alert_ids.length >= alertsKept) {
    return { code: "conflict", message: `a case takes at most ${alertsKept} alerts`, field: "case_id" };
  }
  return null;
}
