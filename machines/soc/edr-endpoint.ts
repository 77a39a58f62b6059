/** One endpoint: what the adapter last said of it, and the action that waits for its word. */
import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

export const endpointStatuses = ["online", "offline", "isolating", "isolated", "unisolating"] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];
export type EndpointAction = "isolate" | "unisolate" | "scan";

interface Command {
  by: string;
  at: string;
  reason: string | null;
  /** When an answer is no longer waited for. */
  answer_by: string;
}

export type EndpointEvent =
  | ({ type: "ISOLATE" } & Command)
  | ({ type: "UNISOLATE" } & Command)
  | ({ type: "SCAN" } & Command)
  | { type: "CONFIRMED"; action: EndpointAction; at: string; receipt: unknown }
  | { type: "REFUSED"; action: EndpointAction; at: string; error: string }
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

export interface Endpoint extends Omit<EndpointInput, "at"> {
  status: EndpointStatus;
  /** Where an action that is not confirmed leads back to. */
  came_from: "online" | "offline" | "isolated" | null;
  action: {
    name: EndpointAction;
    by: string;
    reason: string | null;
    started_at: string;
    answer_by: string;
  } | null;
  last_action: { name: EndpointAction; ok: boolean; ended_at: string; receipt: unknown } | null;
  last_seen: string;
  created_at: string;
  updated_at: string;
  version: number;
}

type EndpointContext = Omit<Endpoint, "version">;

const scan = { actions: [remember("scan", null), call("scan")] } as const;

export const endpointMachine = setup({
  types: { context: {} as EndpointContext, events: {} as EndpointEvent, input: {} as EndpointInput },
  guards: {
    isOnline: ({ event }) => event.type === "SEEN" && event.status === "online",
    isOffline: ({ event }) => event.type === "SEEN" && event.status === "offline",
    isIsolated: ({ event }) => event.type === "SEEN" && event.status === "isolated",
    isLateOrOthers: ({ context, event }) => "action" in event && event.action !== context.action?.name,
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
              started_at: event.at,
              answer_by: event.answer_by,
            },
            updated_at: event.at,
          }
        : {},
    ),
    rememberAnswer: assign(({ context, event }) => endOf(context, event)),
    // Effect: the adapter is asked, with the key of this step.
    callAdapter: (_, _params: { action: EndpointAction }) => {},
  },
}).createMachine({
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
    // The answer to a scan, which changes no state; or one that nobody waits for any more.
    CONFIRMED: [{ guard: "isLateOrOthers" }, { actions: "rememberAnswer" }],
    REFUSED: [{ guard: "isLateOrOthers" }, { actions: "rememberAnswer" }],
    FELL_DUE: { actions: "rememberAnswer" },
    SEEN: [
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
        CONFIRMED: [{ guard: "isLateOrOthers" }, { target: "isolated", actions: "rememberAnswer" }],
        REFUSED: [
          { guard: "isLateOrOthers" },
          { guard: "cameFromOffline", target: "offline", actions: "rememberAnswer" },
          { target: "online", actions: "rememberAnswer" },
        ],
        FELL_DUE: [
          { guard: "cameFromOffline", target: "offline", actions: "rememberAnswer" },
          { target: "online", actions: "rememberAnswer" },
        ],
        SEEN: [
          { guard: "isIsolated", target: "isolated", actions: ["learn", "rememberAnswer"] },
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
        CONFIRMED: [{ guard: "isLateOrOthers" }, { target: "online", actions: "rememberAnswer" }],
        REFUSED: [{ guard: "isLateOrOthers" }, { target: "isolated", actions: "rememberAnswer" }],
        FELL_DUE: { target: "isolated", actions: "rememberAnswer" },
        SEEN: [
          { guard: "isOnline", target: "online", actions: ["learn", "rememberAnswer"] },
          { guard: "isOffline", target: "offline", actions: ["learn", "rememberAnswer"] },
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

/** How the awaited action ended; nothing when none was awaited. */
function endOf(context: EndpointContext, event: EndpointEvent): Partial<EndpointContext> {
  if (context.action === null) return {};
  const { name, answer_by } = context.action;
  const end = (ok: boolean, ended_at: string, receipt: unknown): Partial<EndpointContext> => ({
    came_from: null,
    action: null,
    last_action: { name, ok, ended_at, receipt },
    updated_at: ended_at,
  });
  switch (event.type) {
    case "CONFIRMED":
      return end(true, event.at, event.receipt);
    case "REFUSED":
      return end(false, event.at, { error: event.error });
    case "SEEN":
      return end(true, event.at, { confirmed_by: "inventory" });
    case "FELL_DUE":
      return end(false, answer_by, { error: "no confirmation in time" });
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
