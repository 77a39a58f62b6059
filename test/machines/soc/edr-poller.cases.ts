import { strict as assert } from "node:assert";
import { edrPollerMachine } from "../../../machines/soc/edr-poller.ts";
import { walkPlan } from "../../walker/walk.ts";

const at = "2026-03-01T10:00:00.000Z";

export const plan = walkPlan({
  name: "edr-poller",
  machine: edrPollerMachine,
  cases: {
    POLLED: [{ endpoints: 2, skipped: 1, at }],
    POLL_FAILED: [{ reason: "no answer in time", at }],
  },
  invariant: ({ context }) => {
    assert.equal(context.error === null, context.adapter !== "down");
  },
});
