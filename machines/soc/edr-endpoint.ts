/** One endpoint: what the adapter last said of it, and the action that waits for its word. */
import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

export const endpointStatuses = ["online", "offline", "isolating", "isolated", "unisolating"] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];
export type EndpointAction = "isolate" | "unisolate" | "scan";

/** The playbook's step that waits for an action. */
interface Waiting {
  execution_id: string;
  step_id: string;
}

interface Command {
  by: string;
  at: string;
  reason: string | null;
  /** Sent as `Idempotency-Key`. */
  key: string;
  /** When an answer is no longer waited for. */
  answer_by: string;
  waiting?: Waiting;
}

export type EndpointEvent =
  | ({ type: "ISOLATE" } & Command)
  | ({ type: "UNISOLATE" } & Command)
  | ({ type: "SCAN" } & Command)
  /** The adapter, which honours no keys, is about to be asked: once. */
  | { type: "CALLED"; key: string; at: string }
  | { type: "CONFIRMED"; key: string; at: string; receipt: unknown }
  | { type: "REFUSED"; key: string; at: string; error: string }
  /** Nobody can say whether it happened; the inventory still may. */
  | { type: "DOUBTED"; key: string; at: string; error: string }
  /** From the adapter's inventory, which is the truth, or from a host seen in events. */
  | {
      type: "SEEN";
      hostname: string;
      ip: string | null;
      os: string | null;
      /** Null from a host's own events, which do not know of its isolation. */
      status: "online" | "offline" | "isolated" | null;
      source: string;
      at: string;
    }
  | { type: "FELL_DUE"; at?: string };

export interface EndpointInput {
  id: string;
  hostname: string;
  ip: string | null;
  os: string | null;
  site: string | null;
  source: string;
  at: string;
}

export interface LastAction {
  name: EndpointAction;
  key: string;
  /** `unconfirmed`: nobody answered in time. */
  outcome: "confirmed" | "refused" | "unconfirmed";
  ended_at: string;
  receipt: unknown;
}

export interface Endpoint extends Omit<EndpointInput, "at"> {
  status: EndpointStatus;
  /** Where an action that is not confirmed leads back to. */
  came_from: "online" | "offline" | "isolated" | null;
  action: {
    name: EndpointAction;
    by: string;
    reason: string | null;
    key: string;
    started_at: string;
    called_at: string | null;
    answer_by: string;
    /** How often it was given its time anew after the platform had been away. */
    resumed: number;
    waiting: Waiting | null;
  } | null;
  last_action: LastAction | null;
  last_seen: string;
  created_at: string;
  updated_at: string;
  version: number;
}

type EndpointContext = Omit<Endpoint, "version">;

type Answered = Extract<EndpointEvent, { key: string; at: string }>;

const world = setup({
  types: { context: {} as EndpointContext, events: {} as EndpointEvent, input: {} as EndpointInput },
  guards: {
    isOnline: ({ event }) => event.type === "SEEN" && event.status === "online",
    isOffline: ({ event }) => event.type === "SEEN" && event.status === "offline",
    isIsolated: ({ event }) => event.type === "SEEN" && event.status === "isolated",
    /** An inventory that was asked for before the last action ended does not know of it. */
    isOldNews: ({ context, event }) =>
      event.type === "SEEN" && context.last_action !== null && event.at <= context.last_action.ended_at,
    isLateOrOthers: ({ context, event }) => (event as Answered).key !== context.action?.key,
    wasAway: ({ context: { action }, event }) =>
      event.type === "FELL_DUE" && action !== null && wasAway(action, event.at),
    cameFromOffline: ({ context }) => context.came_from === "offline",
  },
  actions: {
    learn: assign(({ context, event }) =>
      event.type === "SEEN"
        ? {
            hostname: event.hostname,
            ip: event.ip ?? context.ip,
            os: event.os ?? context.os,
            source: event.source,
            last_seen: event.at,
            updated_at: event.at,
          }
        : {},
    ),
    rememberCommand: assign(({ event }, params: { name: EndpointAction; from: Endpoint["came_from"] }) =>
      event.type === "ISOLATE" || event.type === "UNISOLATE" || event.type === "SCAN"
        ? {
            came_from: params.from,
            action: {
              name: params.name,
              by: event.by,
              reason: event.reason,
              key: event.key,
              started_at: event.at,
              called_at: null,
              answer_by: event.answer_by,
              resumed: 0,
              waiting: event.waiting ?? null,
            },
            updated_at: event.at,
          }
        : {},
    ),
    rememberCall: assign(({ context: { action }, event }) =>
      event.type === "CALLED" && action ? { action: { ...action, called_at: event.at } } : {},
    ),
    giveTime: assign(({ context: { action }, event }) =>
      event.type === "FELL_DUE" && event.at && action ? { action: prolonged(action, event.at) } : {},
    ),
    rememberAnswer: assign(({ context, event }) => endOf(context, event)),
    // Effects: the adapter is asked; the step that waits hears how it ended.
    callAdapter: (_, _params: { action: EndpointAction }) => {},
    tellExecution: (_, _params: ActionReport) => {},
  },
});

const report = world.enqueueActions(({ context: { action }, event, enqueue }) => {
  if (!action?.waiting) return;
  const said = reportOf(event);
  if (said) enqueue({ type: "tellExecution", params: { ...action.waiting, key: action.key, ...said } });
});
const scan = { actions: [remember("scan", null), call("scan")] } as const;
const late = { guard: "isLateOrOthers" } as const;
/** What was outstanding is being performed again: it gets its time. */
const resume = { guard: "wasAway", actions: "giveTime" } as const;

export const endpointMachine = world.createMachine({
  id: "edr-endpoint",
  context: ({ input: { at, ...input } }) => ({
    ...input,
    status: "online",
    came_from: null,
    action: null,
    last_action: null,
    last_seen: at,
    created_at: at,
    updated_at: at,
  }),
  initial: "online",
  on: {
    CALLED: [late, { actions: "rememberCall" }],
    // The answer to a scan, which changes no state; or one that nobody waits for any more.
    CONFIRMED: [late, { actions: [report, "rememberAnswer"] }],
    REFUSED: [late, { actions: [report, "rememberAnswer"] }],
    DOUBTED: [late, { actions: report }],
    FELL_DUE: [resume, { actions: [report, "rememberAnswer"] }],
    SEEN: [
      { guard: "isOldNews", actions: "learn" },
      { guard: "isOnline", target: ".online", actions: "learn" },
      { guard: "isOffline", target: ".offline", actions: "learn" },
      { guard: "isIsolated", target: ".isolated", actions: "learn" },
      { actions: "learn" },
    ],
  },
  states: {
    online: {
      on: { ISOLATE: { target: "isolating", actions: remember("isolate", "online") }, SCAN: scan },
    },
    offline: {
      on: { ISOLATE: { target: "isolating", actions: remember("isolate", "offline") }, SCAN: scan },
    },
    isolating: {
      entry: call("isolate"),
      on: {
        CONFIRMED: [late, { target: "isolated", actions: [report, "rememberAnswer"] }],
        REFUSED: [
          late,
          { guard: "cameFromOffline", target: "offline", actions: [report, "rememberAnswer"] },
          { target: "online", actions: [report, "rememberAnswer"] },
        ],
        FELL_DUE: [
          resume,
          { guard: "cameFromOffline", target: "offline", actions: [report, "rememberAnswer"] },
          { target: "online", actions: [report, "rememberAnswer"] },
        ],
        SEEN: [
          { guard: "isIsolated", target: "isolated", actions: ["learn", report, "rememberAnswer"] },
          { actions: "learn" },
        ],
      },
    },
    isolated: {
      on: { UNISOLATE: { target: "unisolating", actions: remember("unisolate", "isolated") }, SCAN: scan },
    },
    unisolating: {
      entry: call("unisolate"),
      on: {
        CONFIRMED: [late, { target: "online", actions: [report, "rememberAnswer"] }],
        REFUSED: [late, { target: "isolated", actions: [report, "rememberAnswer"] }],
        FELL_DUE: [resume, { target: "isolated", actions: [report, "rememberAnswer"] }],
        SEEN: [
          { guard: "isOnline", target: "online", actions: ["learn", report, "rememberAnswer"] },
          { guard: "isOffline", target: "offline", actions: ["learn", report, "rememberAnswer"] },
          { actions: "learn" },
        ],
      },
    },
  },
});

function remember<A extends EndpointAction, F extends Endpoint["came_from"]>(name: A, from: F) {
  return { type: "rememberCommand", params: { name, from } } as const;
}

function call<A extends EndpointAction>(action: A) {
  return { type: "callAdapter", params: { action } } as const;
}

type Action = NonNullable<Endpoint["action"]>;

/** A deadline is told within a second, unless nobody was there to tell it. */
function wasAway({ answer_by, resumed }: Action, at: string | undefined): boolean {
  return at !== undefined && resumed < 10 && Date.parse(at) > Date.parse(answer_by) + 5_000;
}

function prolonged(action: Action, at: string): Action {
  const time = Date.parse(action.answer_by) - Date.parse(action.started_at);
  const answer_by = new Date(Date.parse(at) + time).toISOString();
  return { ...action, started_at: at, answer_by, resumed: action.resumed + 1 };
}

/** What the step that waits for the action hears. */
export interface ActionReport {
  execution_id: string;
  step_id: string;
  key: string;
  outcome: "done" | "failed" | "unknown";
  receipt: unknown;
}

function reportOf(event: EndpointEvent): Pick<ActionReport, "outcome" | "receipt"> | null {
  switch (event.type) {
    case "CONFIRMED":
      return { outcome: "done", receipt: event.receipt };
    case "SEEN":
      return { outcome: "done", receipt: byInventory };
    case "REFUSED":
      return { outcome: "failed", receipt: event.error };
    case "DOUBTED":
      return { outcome: "unknown", receipt: event.error };
    case "FELL_DUE":
      return { outcome: "unknown", receipt: unconfirmed };
    case "CALLED":
    case "ISOLATE":
    case "UNISOLATE":
    case "SCAN":
      return null;
  }
}

const byInventory = { confirmed_by: "inventory" };
const unconfirmed = "no confirmation in time";

/** How the awaited action ended; nothing when none was awaited. */
function endOf(context: EndpointContext, event: EndpointEvent): Partial<EndpointContext> {
  if (context.action === null) return {};
  const { name, key, answer_by } = context.action;
  const end = (
    outcome: LastAction["outcome"],
    ended_at: string,
    receipt: unknown,
  ): Partial<EndpointContext> => ({
    came_from: null,
    action: null,
    last_action: { name, key, outcome, ended_at, receipt },
    updated_at: ended_at,
  });
  switch (event.type) {
    case "CONFIRMED":
      return end("confirmed", event.at, event.receipt);
    case "REFUSED":
      return end("refused", event.at, { error: event.error });
    case "SEEN":
      return end("confirmed", event.at, byInventory);
    case "FELL_DUE":
      return end("unconfirmed", answer_by, { error: unconfirmed });
    case "CALLED":
    case "DOUBTED":
    case "ISOLATE":
    case "UNISOLATE":
    case "SCAN":
      return {};
  }
}

/** The record as it is stored and shown. */
export function endpointOf(snapshot: SnapshotFrom<typeof endpointMachine>): EndpointContext {
  return { ...snapshot.context, status: snapshot.value };
}

export function dueOf(record: EndpointContext): number | null {
  return record.action === null ? null : Date.parse(record.action.answer_by);
}

export function refusalOf(record: Endpoint, event: EndpointEvent): Refusal | null {
  if (event.type === "CALLED") {
    const first = record.action?.key === event.key && record.action.called_at === null;
    return first ? null : { code: "conflict", message: "the adapter was asked before" };
  }
  if (event.type !== "ISOLATE" && event.type !== "UNISOLATE" && event.type !== "SCAN") return null;
  if (record.action !== null) {
    return {
      code: "conflict",
      message: `the endpoint is ${record.status}: ${record.action.name} is under way; allowed: none until it ends`,
    };
  }
  const isolated = record.status === "isolated";
  if (event.type === "SCAN" || isolated === (event.type === "UNISOLATE")) return null;
  const allowed = isolated ? "unisolate, scan" : "isolate, scan";
  return { code: "conflict", message: `the endpoint is ${record.status}; allowed: ${allowed}` };
}
