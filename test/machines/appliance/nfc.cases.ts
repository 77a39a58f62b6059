import { nfcMachine } from "../../../machines/appliance/nfc.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "nfc",
  machine: nfcMachine,
  inputs: [{ virtual: false }],
  cases: {
    CARD_SEEN: [
      { uid: "04A2B3C4", at: 1 },
      { uid: "04A2B3C4D5E6F7", at: 2 },
    ],
    READER_LOST: [{ reason: "unplugged" }],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.present, context.reader, context.uid]),
  invariant: ({ value, context }) => {
    if ((value === "empty") !== (context.present === "")) throw new Error("the card and the state disagree");
  },
});
