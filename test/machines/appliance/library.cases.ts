import { libraryMachine } from "../../../machines/appliance/library.ts";
import type { Listing } from "../../../machines/appliance/library-listing.ts";
import { walkPlan } from "../../walker/walk.ts";

const track = { number: 1, path: "R/001.mp3", size: 10, mtimeMs: 5, durationMs: 0 };
const listing: Listing = { reciters: [{ name: "R", path: "R", tracks: [track] }], ignored: 1 };

export const plan = walkPlan({
  name: "library",
  machine: libraryMachine,
  cases: {
    SCANNED: [{ listing }, { listing: null }],
    SCAN_FAILED: [{ reason: "the card cannot be read" }],
    DURATIONS_READ: [{ durations: new Map([["R/001.mp3", 3_000]]) }],
  },
  invariant: ({ context }) => {
    if (!context.present && context.listing.reciters.length > 0) throw new Error("reciters without a card");
  },
});
