import { defaultSettings, settingsMachine } from "../../../machines/appliance/settings.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "settings",
  machine: settingsMachine,
  inputs: [{ values: defaultSettings }],
  cases: {
    CHANGE: [
      { id: "1", patch: { brightness: 3 } },
      { id: "2", patch: { language: "ar" } },
    ],
    STORED: [{}],
    WRITE_FAILED: [{ refusal: { code: "unavailable", message: "no store" } }],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.values, Math.min(2, context.waiting.length)]),
});
