import { recordListMachine } from "../../../machines/appliance/record-list.ts";
import { walkPlan } from "../../walker/walk.ts";

const record = { id: "a" };

export const plan = walkPlan({
  name: "record-list",
  machine: recordListMachine("list"),
  inputs: [{ records: [{ id: "b" }], limit: 2 }],
  cases: {
    PUT: [{ id: "1", record }],
    REMOVE: [{ id: "2", key: "b" }],
    STORED: [{ id: "1", record }],
    REMOVED: [{ id: "2", key: "b" }],
    WRITE_FAILED: [{ id: "1", refusal: { code: "unavailable", message: "no store" } }],
  },
  invariant: ({ context }) => {
    if (new Set(context.records.map((r) => r.id)).size !== context.records.length)
      throw new Error("a record twice");
  },
});
