import { displayMachine } from "../../../machines/appliance/display.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "display",
  machine: displayMachine,
  cases: {
    SCREENSHOT: [{ id: "1" }],
    CARD_SHOWN: [{ name: "Bedtime", uid: "04A2B3C4" }],
    DRAWN: [{ id: "1", image: new Uint8Array(1) }],
    DRAWING_FAILED: [{ id: "1", refusal: { code: "unavailable", message: "no canvas" } }],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.card]),
  invariant: ({ value, context }) => {
    if ((value === "showingCard") !== (context.card !== null))
      throw new Error("the card and the state disagree");
  },
});
