import { assign, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** Which wireless network the device is in; one that is not joined in time gives way to the old one. */
export type NetworkCommand =
  /** The password goes straight to the driver and is kept nowhere here. Answered when the attempt begins. */
  { type: "JOIN"; ssid: string; password: string };

export type NetworkEvent =
  | NetworkCommand
  | { type: "FOUND"; ssid: string | null; known: boolean }
  | { type: "JOINED"; ssid: string }
  | { type: "JOIN_FAILED"; reason: string }
  | { type: "RESTORED" }
  | { type: "HOTSPOT_OPENED"; ssid: string }
  | { type: "STEP_FAILED"; reason: string }
  | { type: "LINK_CHANGED"; ssid: string | null };

export interface NetworkView {
  state: "starting" | "online" | "offline" | "joining" | "returning" | "hotspot";
  /** The network that the device is in or was last in; empty when there is none. */
  ssid: string;
  /** The network that is being joined. */
  joining: string | null;
  /** Why the last attempt came to nothing. */
  error: string;
}

interface NetworkContext {
  ssid: string;
  wanted: string | null;
  hotspot: boolean;
  error: string;
}

export interface NetworkInput {
  /** Whether this device opens a hotspot where no network is known. */
  hotspot: boolean;
}

export const networkMachine = setup({
  types: { context: {} as NetworkContext, input: {} as NetworkInput, events: {} as NetworkEvent },
  guards: {
    isConnected: ({ event }) =>
      (event.type === "FOUND" || event.type === "LINK_CHANGED") && event.ssid !== null,
    needsHotspot: ({ context, event }) => context.hotspot && event.type === "FOUND" && !event.known,
    hasOld: ({ context }) => context.ssid !== "",
    opensHotspot: ({ context }) => context.hotspot,
  },
  delays: { patience: 60_000 },
  actions: {
    look: () => {}, // effect
    join: (_, _params: { ssid: string; password: string }) => {}, // effect
    giveUpJoining: () => {}, // effect: forget the network that was not joined
    goBack: (_, _params: { ssid: string }) => {}, // effect
    openHotspot: () => {}, // effect
    want: assign({
      wanted: ({ event }) => (event.type === "JOIN" ? event.ssid : null),
      error: "",
    }),
    arrive: assign(({ context, event }) => {
      const ssid = "ssid" in event ? event.ssid : null;
      return { ssid: ssid ?? context.ssid, wanted: null };
    }),
    keepReason: assign(({ context, event }) => ({ wanted: null, error: reasonOf(context, event) })),
  },
}).createMachine({
  id: "network",
  context: ({ input }) => ({ ssid: "", wanted: null, hotspot: input.hotspot, error: "" }),
  initial: "starting",
  states: {
    starting: {
      entry: "look",
      on: {
        FOUND: [
          { guard: "isConnected", target: "settled.online", actions: "arrive" },
          { guard: "needsHotspot", target: "opening" },
          { target: "settled.offline" },
        ],
        STEP_FAILED: { target: "settled.offline", actions: "keepReason" },
      },
    },
    settled: {
      initial: "offline",
      states: { online: {}, offline: {}, hotspot: {} },
      on: {
        JOIN: { target: "joining", actions: ["want", { type: "join", params: ({ event }) => event }] },
        LINK_CHANGED: [
          { guard: "isConnected", target: ".online", actions: "arrive" },
          { target: ".offline" },
        ],
      },
    },
    joining: {
      after: { patience: { target: "returning", actions: ["keepReason", "giveUpJoining"] } },
      on: {
        JOINED: { target: "settled.online", actions: "arrive" },
        JOIN_FAILED: { target: "returning", actions: ["keepReason", "giveUpJoining"] },
      },
    },
    returning: {
      always: [
        { guard: "hasOld", target: "restoring" },
        { guard: "opensHotspot", target: "opening" },
        { target: "settled.offline" },
      ],
    },
    restoring: {
      entry: { type: "goBack", params: ({ context }) => ({ ssid: context.ssid }) },
      on: {
        RESTORED: "settled.online",
        STEP_FAILED: [{ guard: "opensHotspot", target: "opening" }, { target: "settled.offline" }],
      },
    },
    opening: {
      entry: "openHotspot",
      on: {
        HOTSPOT_OPENED: "settled.hotspot",
        STEP_FAILED: { target: "settled.offline", actions: "keepReason" },
      },
    },
  },
});

type NetworkSnapshot = SnapshotFrom<typeof networkMachine>;

export function viewOfNetwork({ value, context }: NetworkSnapshot): NetworkView {
  const { ssid, wanted, error } = context;
  return { state: stateOf(value), ssid, joining: wanted, error };
}

export function refusalOfNetwork(snapshot: NetworkSnapshot, _command: NetworkCommand): Refusal | null {
  if (snapshot.matches("settled")) return null;
  const { wanted } = snapshot.context;
  return {
    code: "conflict",
    message: wanted === null ? "the network is being looked at" : `${wanted} is being joined`,
  };
}

function stateOf(value: NetworkSnapshot["value"]): NetworkView["state"] {
  if (typeof value === "object") return value.settled;
  if (value === "restoring") return "returning";
  return value === "opening" ? "hotspot" : value;
}

function reasonOf({ wanted }: NetworkContext, event: NetworkEvent): string {
  if ("reason" in event) return event.reason;
  return `${wanted} was not joined within 60 s`;
}
