import { schedulerMachine, viewOfScheduler } from "../../../machines/appliance/scheduler.ts";
import { parseZone } from "../../../machines/appliance/timezone.ts";
import { walkPlan } from "../../walker/walk.ts";

const zone = parseZone("UTC0");
const due = Date.UTC(2026, 5, 1, 7, 0) / 1000;
const planned = {
  id: "a",
  hour: 7,
  minute: 0,
  days: 127,
  target: { type: "stop" },
  volume: 40,
  enabled: true,
} as const;
const kept = { ...planned, since: due - 600, done: null };

export const plan = walkPlan({
  name: "scheduler",
  machine: schedulerMachine,
  inputs: [
    { schedules: [kept], zone },
    { schedules: [{ ...kept, days: 0 }], zone },
  ],
  cases: {
    CREATE: [{ id: "1", schedule: { ...planned, id: "b" } }],
    ENABLE: [{ id: "2", key: "a", enabled: false }],
    REMOVE: [{ id: "3", key: "a" }],
    WRITTEN: [{ record: null }, { record: kept }],
    WRITE_FAILED: [{ refusal: { code: "unavailable", message: "no store" } }],
    TIME_READ: [{ now: null }, { now: due - 60 }, { now: due }, { now: due + 3_600 }],
    ZONE_SET: [{ zone: parseZone("CET-1") }],
    ADHAN_CHANGED: [{ adhan: { on: true, at: null } }, { adhan: { on: false, at: null } }],
  },
  keyOf: ({ value, context }) => {
    const { due: queue, running, changes, schedules, adhan, now } = context;
    const marks = schedules.map(({ id, done, enabled }) => [id, done, enabled]);
    return JSON.stringify([
      value,
      queue.length,
      running?.key,
      changes.slice(0, 2),
      changes.length > 2,
      marks,
      adhan.on,
      now,
    ]);
  },
  invariant: (snapshot) => {
    const { due: queue, running, adhan } = snapshot.context;
    if (new Set(queue.map(({ key }) => key)).size < queue.length) throw new Error("due twice");
    if ((running !== null) !== snapshot.matches({ timing: "running" })) throw new Error("runs unseen");
    if (snapshot.matches({ timing: "held" }) && !adhan.on) throw new Error("held back by nothing");
    viewOfScheduler(snapshot);
  },
  limit: 40_000,
});
