import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** When the screen is drawn: only when what it shows has changed, or when somebody wants to see it. */
export type DisplayCommand = { type: "SCREENSHOT"; id: string };

export type DisplayEvent =
  | DisplayCommand
  | { type: "SCREEN_CHANGED" }
  | { type: "CARD_SHOWN"; name: string; uid: string }
  | { type: "DRAWN"; id: string; image: Uint8Array }
  | { type: "DRAWING_FAILED"; id: string; refusal: Refusal };

export type DisplayReplies = { SCREENSHOT: Uint8Array };

type Emitted =
  | { type: "settled"; id: string; reply: Uint8Array }
  | { type: "failed"; id: string; refusal: Refusal };

export interface DisplayContext {
  card: { name: string; uid: string } | null;
  /** How often it was drawn. */
  drawings: number;
}

export const displayMachine = setup({
  types: { context: {} as DisplayContext, events: {} as DisplayEvent, emitted: {} as Emitted },
  actions: {
    show: () => {}, // effect: draws and hands the frame to the screen, where there is one
    photograph: (_, _params: { id: string }) => {}, // effect
    showCard: assign({
      card: ({ event }) => (event.type === "CARD_SHOWN" ? { name: event.name, uid: event.uid } : null),
    }),
    forgetCard: assign({ card: null }),
    countDrawing: assign({ drawings: ({ context }) => context.drawings + 1 }),
  },
  delays: { cardNews: 4_000 },
}).createMachine({
  id: "display",
  context: { card: null, drawings: 0 },
  initial: "following",
  on: {
    SCREEN_CHANGED: { actions: ["countDrawing", "show"] },
    SCREENSHOT: { actions: { type: "photograph", params: ({ event }) => ({ id: event.id }) } },
    DRAWN: { actions: emit(({ event }) => ({ type: "settled", id: event.id, reply: event.image })) },
    DRAWING_FAILED: {
      actions: emit(({ event }) => ({ type: "failed", id: event.id, refusal: event.refusal })),
    },
  },
  states: {
    following: { on: { CARD_SHOWN: { target: "showingCard", actions: "showCard" } } },
    showingCard: {
      on: { CARD_SHOWN: { target: "showingCard", reenter: true, actions: "showCard" } },
      after: { cardNews: { target: "following", actions: "forgetCard" } },
    },
  },
});

export function viewOfDisplay({ context }: SnapshotFrom<typeof displayMachine>): DisplayContext {
  return context;
}
