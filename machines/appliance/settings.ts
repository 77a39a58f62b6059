import { assign, emit, type SnapshotFrom, setup } from "xstate";
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

export type SettingsEvent =
  | SettingsCommand
  | { type: "STORED"; id: string; values: Settings }
  | { type: "WRITE_FAILED"; id: string; refusal: Refusal };

export type SettingsReplies = { CHANGE: Settings };

type Emitted =
  | { type: "settled"; id: string; reply: Settings }
  | { type: "failed"; id: string; refusal: Refusal };

interface SettingsContext {
  values: Settings;
  /** Changes not yet written, oldest first; one is written at a time, so that none undoes another. */
  waiting: { id: string; patch: Partial<Settings> }[];
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
    storeSettings: (_, _params: { id: string; values: Settings }) => {}, // effect
    queue: assign({
      waiting: ({ context, event }) =>
        event.type === "CHANGE" ? [...context.waiting, event] : context.waiting,
    }),
    dequeue: assign({ waiting: ({ context }) => context.waiting.slice(1) }),
    show: assign({
      values: ({ context, event }) => (event.type === "STORED" ? event.values : context.values),
    }),
  },
}).createMachine({
  id: "settings",
  context: ({ input }) => ({ ...input, waiting: [] }),
  initial: "ready",
  on: { CHANGE: { actions: "queue" } },
  states: {
    ready: { always: { guard: "moreWaits", target: "storing" } },
    storing: {
      entry: { type: "storeSettings", params: ({ context }) => nextOf(context) },
      on: {
        STORED: {
          target: "ready",
          actions: [
            "show",
            "dequeue",
            emit(({ event }) => ({ type: "settled", id: event.id, reply: event.values })),
          ],
        },
        WRITE_FAILED: {
          target: "ready",
          actions: [
            "dequeue",
            emit(({ event }) => ({ type: "failed", id: event.id, refusal: event.refusal })),
          ],
        },
      },
    },
  },
});

export function settingsOf(snapshot: SnapshotFrom<typeof settingsMachine>): Settings {
  return snapshot.context.values;
}

function nextOf({ values, waiting }: SettingsContext): { id: string; values: Settings } {
  const [next] = waiting;
  return { id: next?.id ?? "", values: { ...values, ...next?.patch } };
}
