import { strict as assert } from "node:assert";
import { endpointMachine } from "../../../machines/soc/edr-endpoint.ts";
import { walkPlan } from "../../walker/walk.ts";

const at = "2026-03-01T10:00:00.000Z";
const command = { by: "responder", at, reason: null, answer_by: "2026-03-01T10:00:30.000Z" };
const actions = ["isolate", "unisolate", "scan"] as const;

export const plan = walkPlan({
  name: "edr-endpoint",
  machine: endpointMachine,
  inputs: [{ id: "h1", hostname: "web-1", ip: null, os: null, site: null, source: "edr", at }],
  cases: {
    ISOLATE: [command],
    UNISOLATE: [command],
    SCAN: [command],
    CONFIRMED: actions.map((action) => ({ action, at, receipt: { id: 1 } })),
    REFUSED: actions.map((action) => ({ action, at, error: "busy" })),
    SEEN: (["online", "offline", "isolated", null] as const).map((status) => ({
      hostname: "web-1",
      ip: "10.0.0.7",
      os: null,
      status,
      source: "edr",
      at,
    })),
  },
  keyOf: ({ value, context }) => JSON.stringify([value, context.came_from, context.action?.name]),
  invariant: ({ value, context }) => {
    if (value === "isolating") assert.ok(context.came_from === "online" || context.came_from === "offline");
    if (value === "unisolating") assert.equal(context.came_from, "isolated");
  },
});
