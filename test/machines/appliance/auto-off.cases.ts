import { autoOffMachine, viewOfPower } from "../../../machines/appliance/auto-off.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "auto-off",
  machine: autoOffMachine,
  inputs: [{ minutes: 0 }, { minutes: 2 }],
  cases: {
    SLEEP: [{ id: "1" }],
    MINUTES_SET: [{ minutes: 0 }, { minutes: 2 }],
    REASONS_CHANGED: [
      { reasons: [] },
      { reasons: ["clients"] },
      { reasons: ["adhan", "playback"] },
      { reasons: ["update"] },
    ],
    SLEEP_FAILED: [{ refusal: { code: "unavailable", message: "no suspend here" } }],
    WOKE: [{ by: "due" }, { by: "touch" }],
  },
  invariant: (snapshot) => {
    const view = viewOfPower(snapshot);
    if (view.remaining_minutes === null) return;
    if (view.auto_off_minutes === 0 || view.awake_by.length > 0) throw new Error("counts though it may not");
    if (view.remaining_minutes < 1) throw new Error("counts below a minute");
  },
});
