import { assign, type SnapshotFrom, setup } from "xstate";
import {
  emptyListing,
  keepDurations,
  type Listing,
  type ReciterView,
  reciterView,
  withDurations,
} from "./library-listing.ts";

/** The card's contents: scanned when the card changes or somebody asks, lengths filled in behind. */
export type LibraryCommand = { type: "RESCAN" };

export type LibraryEvent =
  | LibraryCommand
  | { type: "CARD_CHANGED" }
  /** `null`: there is no card. */
  | { type: "SCANNED"; listing: Listing | null }
  | { type: "SCAN_FAILED"; reason: string }
  | { type: "DURATIONS_READ"; durations: ReadonlyMap<string, number> };

export interface LibraryContext {
  present: boolean;
  listing: Listing;
  /** Something changed while a scan ran: one more is due. */
  again: boolean;
  /** Why the last scan failed. */
  error: string | null;
}

export interface LibraryView {
  present: boolean;
  scanning: boolean;
  error: string | null;
  reciters: readonly ReciterView[];
  ignored: number;
  /** For playback and the surahs of one reciter; not shown as it is. */
  listing: Listing;
}

export const libraryMachine = setup({
  types: { context: {} as LibraryContext, events: {} as LibraryEvent },
  guards: { scanAgain: ({ context }) => context.again },
  actions: {
    scan: () => {}, // effect: answers with SCANNED or SCAN_FAILED
    readDurations: (_, _params: { listing: Listing }) => {}, // effect: answers with DURATIONS_READ, bit by bit
    scanOnceMore: assign({ again: true }),
    startOver: assign({ again: false }),
    takeListing: assign(({ context }, { listing }: { listing: Listing | null }) => ({
      present: listing !== null,
      listing: listing ? keepDurations(context.listing, listing) : emptyListing,
      error: null,
    })),
    takeDurations: assign({
      listing: ({ context }, { durations }: { durations: ReadonlyMap<string, number> }) =>
        withDurations(context.listing, durations),
    }),
    rememberError: assign({ error: (_, { reason }: { reason: string }) => reason }),
  },
}).createMachine({
  id: "library",
  context: { present: false, listing: emptyListing, again: false, error: null },
  initial: "scanning",
  on: {
    DURATIONS_READ: {
      actions: { type: "takeDurations", params: ({ event }) => ({ durations: event.durations }) },
    },
  },
  states: {
    scanning: {
      entry: ["startOver", "scan"],
      on: {
        CARD_CHANGED: { actions: "scanOnceMore" },
        RESCAN: { actions: "scanOnceMore" },
        SCANNED: {
          target: "scanned",
          actions: { type: "takeListing", params: ({ event }) => ({ listing: event.listing }) },
        },
        SCAN_FAILED: {
          target: "scanned",
          actions: { type: "rememberError", params: ({ event }) => ({ reason: event.reason }) },
        },
      },
    },
    scanned: { always: [{ guard: "scanAgain", target: "scanning" }, { target: "ready" }] },
    ready: {
      entry: { type: "readDurations", params: ({ context }) => ({ listing: context.listing }) },
      on: { CARD_CHANGED: "scanning", RESCAN: "scanning" },
    },
  },
});

type LibrarySnapshot = SnapshotFrom<typeof libraryMachine>;

export function viewOf(snapshot: LibrarySnapshot): LibraryView {
  const { present, listing, error } = snapshot.context;
  return {
    present,
    scanning: snapshot.matches("scanning"),
    error,
    reciters: listing.reciters.map(reciterView),
    ignored: listing.ignored,
    listing,
  };
}
