import { strict as assert } from "node:assert";
import { endpointMachine } from "../../../machines/soc/edr-endpoint.ts";
import { walkPlan } from "../../walker/walk.ts";

const at = "2026-03-01T10:00:00.000Z";
const command = { by: "responder", at, reason: null, answer_by: "2026-03-01T10:00:30.000Z" };
const waiting = { execution_id: "x1", step_id: "s1" };
const keys = ["k1", "k2"];

export const plan = walkPlan({
  name: "edr-endpoint",
  machine: endpointMachine,
  inputs: [{ id: "h1", hostname: "web-1", ip: null, os: null, site: null, source: "edr", at }],
  cases: {
    ISOLATE: [
      { ...command, key: "k1", waiting },
      { ...command, key: "k2" },
    ],
    UNISOLATE: [
      { ...command, key: "k1", waiting },
      { ...command, key: "k2" },
    ],
    SCAN: [
      { ...command, key: "k1", waiting },
      { ...command, key: "k2" },
    ],
    CALLED: keys.map((key) => ({ key, at })),
    CONFIRMED: keys.map((key) => ({ key, at, receipt: { id: 1 } })),
    REFUSED: keys.map((key) => ({ key, at, error: "busy" })),
    DOUBTED: keys.map((key) => ({ key, at, error: "silence" })),
    FELL_DUE: [{ at: "2026-03-01T10:00:30.000Z" }, { at: "2026-03-01T11:00:00.000Z" }],
    SEEN: [at, "2026-03-01T10:00:40.000Z"].flatMap((seen) =>
      (["online", "offline", "isolated", null] as const).map((status) => ({
        hostname: "web-1",
        ip: "10.0.0.7",
        os: null,
        status,
        source: "edr",
        at: seen,
      })),
    ),
  },
  keyOf: ({ value, context }) =>
    JSON.stringify([
      value,
      context.came_from,
      context.action?.name,
      context.action?.key,
      context.action?.resumed,
      context.last_action,
    ]),
  invariant: ({ value, context }) => {
    if (value === "isolating") assert.ok(context.came_from === "online" || context.came_from === "offline");
    if (value === "unisolating") assert.equal(context.came_from, "isolated");
  },
});
