import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** One reader: which card lies on it, and which was tapped last. Readers flap, so a card is gone only after a while. */
export type NfcEvent =
  | { type: "CARD_SEEN"; uid: string; at: number }
  | { type: "CARD_LOST" }
  | { type: "READER_LOST"; reason: string }
  | { type: "READER_FOUND" };

export type NfcEmitted = { type: "tapped"; uid: string } | { type: "removed"; uid: string };

export interface NfcContext {
  /** The card on the reader; empty when there is none. */
  present: string;
  /** The last tap; empty before the first. */
  uid: string;
  /** Milliseconds of a clock that never jumps. */
  tappedAt: number;
  taps: number;
  reader: "up" | "down";
  /** The reader without hardware, whose card the API moves. */
  virtual: boolean;
}

/** How long a card may vanish before it counts as taken away: one reader lost its card 20 times in ten minutes. */
export const goneAfterMs = 1_000;

export const nfcMachine = setup({
  types: {
    context: {} as NfcContext,
    input: {} as { virtual: boolean },
    events: {} as NfcEvent,
    emitted: {} as NfcEmitted,
  },
  guards: {
    isAnother: ({ context, event }) => event.type === "CARD_SEEN" && event.uid !== context.present,
  },
  actions: {
    rememberTap: assign(({ context, event }) =>
      event.type === "CARD_SEEN"
        ? { present: event.uid, uid: event.uid, tappedAt: event.at, taps: context.taps + 1 }
        : {},
    ),
    reportTap: emit(({ context }) => ({ type: "tapped", uid: context.uid })),
    reportRemoval: emit(({ context }) => ({ type: "removed", uid: context.present })),
    forgetCard: assign({ present: "" }),
    readerUp: assign({ reader: "up" }),
    readerDown: assign({ reader: "down" }),
  },
  delays: { goneAfter: goneAfterMs },
}).createMachine({
  id: "nfc",
  context: ({ input }) => ({ present: "", uid: "", tappedAt: 0, taps: 0, reader: "up", ...input }),
  initial: "empty",
  on: { READER_FOUND: { actions: "readerUp" } },
  states: {
    empty: {
      on: {
        CARD_SEEN: { target: "occupied", actions: ["rememberTap", "reportTap"] },
        READER_LOST: { actions: "readerDown" },
      },
    },
    occupied: {
      on: {
        CARD_SEEN: { guard: "isAnother", actions: ["rememberTap", "reportTap"] },
        CARD_LOST: "leaving",
        READER_LOST: { target: "leaving", actions: "readerDown" },
      },
    },
    leaving: {
      on: {
        CARD_SEEN: [
          { guard: "isAnother", target: "occupied", actions: ["rememberTap", "reportTap"] },
          { target: "occupied" },
        ],
        READER_LOST: { actions: "readerDown" },
      },
      after: { goneAfter: { target: "empty", actions: ["reportRemoval", "forgetCard"] } },
    },
  },
});

/** What the last tap was; `registered` and `name` are for whoever knows the cards. */
export type NfcView = Omit<NfcContext, "present"> & { present: boolean };

export function viewOfNfc({ context }: SnapshotFrom<typeof nfcMachine>): NfcView {
  return { ...context, present: context.present !== "" };
}

/** Only a virtual card can be moved by a command; a real one is moved by a hand. */
export function refusalOfNfc({ context }: SnapshotFrom<typeof nfcMachine>): Refusal | null {
  return context.virtual ? null : { code: "not_found", message: "there is no virtual reader" };
}

/** A UID is 4, 7 or 10 bytes; anything else that a reader says is no card of ours. */
export function isUid(text: string): boolean {
  return /^(?:[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20})$/.test(text);
}
