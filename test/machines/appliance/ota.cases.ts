import { incomingImage, otaMachine, viewOfOta } from "../../../machines/appliance/ota.ts";
import { walkPlan } from "../../walker/walk.ts";

const refusal = { code: "invalid_input", message: "image: it is truncated", field: "image" } as const;

async function* nothing(): AsyncGenerator<Uint8Array> {}

export const plan = walkPlan({
  name: "ota",
  machine: otaMachine,
  inputs: [{ rolledBack: null }, { rolledBack: "version 2.1.0 was given up" }],
  cases: {
    UPLOAD: [{ id: "1", image: incomingImage(nothing(), 3) }],
    PULL: [{ id: "2", url: "https://updates.example/image" }],
    PROGRESSED: [{ progress: 40 }, { progress: 20 }],
    STEP_FAILED: [{ refusal }],
  },
  invariant: (snapshot) => {
    const view = viewOfOta(snapshot);
    if (view.in_progress !== (view.mode !== "idle"))
      throw new Error("a mode without an update, or the reverse");
    if ((view.status === "failed") !== (view.error !== "")) throw new Error("failed without a reason");
    if (view.progress === 100 && !["ready", "rebooting", "failed"].includes(view.status))
      throw new Error("complete before it is");
  },
});
