import { assign, enqueueActions, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** What a person sets once and expects to find again. */
export interface Settings {
  /** A POSIX timezone rule. */
  timezone: string;
  time_format_24h: boolean;
  brightness: number;
  auto_resume: boolean;
  auto_off_minutes: number;
  card_removal: "continue" | "pause" | "stop";
  ssid: string;
  language: "en" | "ar";
}

export const defaultSettings: Settings = {
  timezone: "UTC0",
  time_format_24h: false,
  brightness: 200,
  auto_resume: false,
  auto_off_minutes: 0,
  card_removal: "pause",
  ssid: "",
  language: "en",
};

export type SettingsCommand = { type: "CHANGE"; id: string; patch: Partial<Settings> };

export type SettingsEvent = SettingsCommand | { type: "STORED" } | { type: "WRITE_FAILED"; refusal: Refusal };

export type SettingsReplies = { CHANGE: Settings };

type Emitted =
  | { type: "settled"; id: string; reply: Settings }
  | { type: "failed"; id: string; refusal: Refusal };

interface SettingsContext {
  values: Settings;
  /** Changes that came while others are being written, oldest first; they are written next, all at once. */
  waiting: { id: string; patch: Partial<Settings> }[];
  /** Changes being written, each with what it made of the settings. One write at a time, so that none undoes another. */
  writing: { id: string; values: Settings }[];
}

export const settingsMachine = setup({
  types: {
    context: {} as SettingsContext,
    input: {} as { values: Settings },
    events: {} as SettingsEvent,
    emitted: {} as Emitted,
  },
  guards: { moreWaits: ({ context }) => context.waiting.length > 0 },
  actions: {
    storeSettings: (_, _params: { values: Settings }) => {}, // effect
    queue: assign({
      waiting: ({ context, event }) =>
        event.type === "CHANGE" ? [...context.waiting, event] : context.waiting,
    }),
    gather: assign({ writing: ({ context }) => applied(context), waiting: [] }),
    show: assign({ values: ({ context }) => written(context), writing: [] }),
    forget: assign({ writing: [] }),
    settleAll: enqueueActions(({ context, enqueue }) => {
      for (const { id, values } of context.writing) enqueue.emit({ type: "settled", id, reply: values });
    }),
    refuseAll: enqueueActions(({ context, enqueue }, { refusal }: { refusal: Refusal }) => {
      for (const { id } of context.writing) enqueue.emit({ type: "failed", id, refusal });
    }),
  },
}).createMachine({
  id: "settings",
  context: ({ input }) => ({ ...input, waiting: [], writing: [] }),
  initial: "ready",
  on: { CHANGE: { actions: "queue" } },
  states: {
    ready: { always: { guard: "moreWaits", target: "storing" } },
    storing: {
      entry: ["gather", { type: "storeSettings", params: ({ context }) => ({ values: written(context) }) }],
      on: {
        STORED: { target: "ready", actions: ["settleAll", "show"] },
        WRITE_FAILED: {
          target: "ready",
          actions: [{ type: "refuseAll", params: ({ event }) => ({ refusal: event.refusal }) }, "forget"],
        },
      },
    },
  },
});

export function settingsOf(snapshot: SnapshotFrom<typeof settingsMachine>): Settings {
  return snapshot.context.values;
}

function applied({ values, waiting }: SettingsContext): SettingsContext["writing"] {
  let now = values;
  return waiting.map(({ id, patch }) => {
    now = { ...now, ...patch };
    return { id, values: now };
  });
}

function written({ values, writing }: SettingsContext): Settings {
  return writing.at(-1)?.values ?? values;
}
