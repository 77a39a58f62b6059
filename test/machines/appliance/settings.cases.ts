import { defaultSettings, settingsMachine } from "../../../machines/appliance/settings.ts";
import { walkPlan } from "../../walker/walk.ts";

const dark = { ...defaultSettings, brightness: 3 };

export const plan = walkPlan({
  name: "settings",
  machine: settingsMachine,
  inputs: [{ values: defaultSettings }],
  cases: {
    CHANGE: [{ id: "1", patch: { brightness: 3 } }],
    STORED: [{ id: "1", values: dark }],
    WRITE_FAILED: [{ id: "1", refusal: { code: "unavailable", message: "no store" } }],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.values, Math.min(3, context.waiting.length)]),
});
