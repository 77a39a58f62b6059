import { powerSourceMachine } from "../../../machines/appliance/power-source.ts";
import { walkPlan } from "../../walker/walk.ts";

export const plan = walkPlan({
  name: "battery",
  machine: powerSourceMachine,
  cases: { READ: [{ reading: { present: true, voltage: 3.9, percentage: 80, charging: true } }] },
});
