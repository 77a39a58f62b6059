import { resourceMachine } from "../../actors/resource-machine.ts";
import { walkPlan } from "../walker/walk.ts";

export const plan = walkPlan({
  name: "resource",
  // It fails by throwing, so that its supervisor hears of it; the walk only wants to see it get there.
  machine: resourceMachine.provide({ actions: { giveUp: () => {} } }),
  cases: { FAILED: [{ error: "gone" }] },
});
