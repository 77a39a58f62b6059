import { systemMachine } from "../../../machines/appliance/system.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "system",
  machine: systemMachine,
  cases: {
    RESET: [{ id: "1" }],
    PREPARATION_FAILED: [{ refusal: { code: "internal", message: "the disk is full" } }],
    ENTRIES_COUNTED: [{ used: 3 }],
    FAILURES_CHANGED: [{ failures: [{ component: "nfc", error: "no reader" }] }],
  },
});
