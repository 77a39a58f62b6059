import { clockMachine, viewOfClock } from "../../../machines/appliance/clock.ts";
import { walkPlan } from "../../walker/walk.ts";

const unknown = { source: "none", offsetMs: 0, rtcTemperature: null } as const;
const known = { source: "sntp", offsetMs: 0, rtcTemperature: 21.5 } as const;
const manual = { source: "manual", offsetMs: 5_000, rtcTemperature: null } as const;

export const plan = walkPlan({
  name: "clock",
  machine: clockMachine,
  inputs: [unknown, known],
  cases: {
    SET_TIME: [{ id: "1", epoch: 0 }],
    TIME_SET: [{ id: "1", reading: manual }],
    SET_FAILED: [{ id: "1", refusal: { code: "unavailable", message: "no" } }],
    SOURCE_CHANGED: [{ reading: known }],
    CLOCK_JUMPED: [{ byMs: 1_000, reading: manual }],
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.source, Math.min(2, context.jumps)]),
  invariant: (snapshot) => {
    if (viewOfClock(snapshot).synced !== snapshot.matches("known")) throw new Error("known without a source");
  },
});
