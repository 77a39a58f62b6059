import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import { nextRun, type Schedule } from "./schedule.ts";
import {
  type AdhanOutlook,
  begun,
  type Change,
  type DueSchedule,
  finished,
  holdsBack,
  noWrite,
  type PlannedSchedule,
  read,
  type SchedulerContext,
  type Write,
  waitMs,
  writeOf,
  written,
} from "./scheduler-context.ts";
import type { Target } from "./target.ts";
import type { Zone } from "./timezone.ts";
import { isoAt } from "./timezone-civil.ts";

/** Runs what people planned, once each: kept in the store, held back by an adhan, given up when too late. */
export type SchedulerCommand =
  | { type: "CREATE"; id: string; schedule: PlannedSchedule }
  | { type: "ENABLE"; id: string; key: string; enabled: boolean }
  | { type: "REMOVE"; id: string; key: string };

export type SchedulerEvent =
  | SchedulerCommand
  /** With the record as it was stored; null when one was removed. */
  | { type: "WRITTEN"; record: Schedule | null }
  | { type: "WRITE_FAILED"; refusal: Refusal }
  /** Seconds since 1970; null while the time is not known. */
  | { type: "TIME_READ"; now: number | null }
  /** The clock jumped, or its source changed. */
  | { type: "CLOCK_CHANGED" }
  | { type: "ZONE_SET"; zone: Zone }
  | { type: "ADHAN_CHANGED"; adhan: AdhanOutlook }
  | { type: "TARGET_RUN" }
  | { type: "TARGET_FAILED" };

/** As the API lists it. */
export interface ScheduleView {
  id: string;
  hour: number;
  minute: number;
  days: number;
  target: Target;
  volume: number | null;
  enabled: boolean;
  /** ISO 8601 with offset; null while disabled or the time is not known. */
  next_run: string | null;
}

export type SchedulerReplies = { CREATE: ScheduleView; ENABLE: ScheduleView; REMOVE: { key: string } };

export interface SchedulerInput {
  schedules: readonly Schedule[];
  zone: Zone;
}

const maxSchedules = 100;
const gone: Refusal = { code: "not_found", message: "the schedule was removed meanwhile" };

export const schedulerMachine = setup({
  types: {
    context: {} as SchedulerContext,
    input: {} as SchedulerInput,
    events: {} as SchedulerEvent,
    emitted: {} as
      | { type: "settled"; id: string; reply: unknown }
      | { type: "failed"; id: string; refusal: Refusal },
  },
  delays: { untilNext: ({ context }) => waitMs(context) },
  guards: {
    isHeldBack: ({ context }) => context.due.length > 0 && holdsBack(context),
    isDue: ({ context }) => context.due.length > 0,
    hasChanges: ({ context }) => context.changes.length > 0,
    isOrphan: ({ context }) => context.changes.length > 0 && writeOf(context) === null,
    isAnswered: ({ context }) => context.changes[0]?.id !== null,
  },
  actions: {
    readClock: () => {}, // effect
    runTarget: (_, _params: RunOrder) => {}, // effect
    write: (_, _params: Write) => {}, // effect
    noteMissed: (_, _params: { missed: readonly DueSchedule[] }) => {}, // effect: a line in the log
    takeReading: assign(({ context, event }) => (event.type === "TIME_READ" ? read(context, event.now) : {})),
    begin: assign(({ context }) => begun(context)),
    finish: assign(({ context }) => finished(context)),
    setZone: assign(({ event }) => (event.type === "ZONE_SET" ? { zone: event.zone } : {})),
    setAdhan: assign(({ event }) => (event.type === "ADHAN_CHANGED" ? { adhan: event.adhan } : {})),
    queue: assign(({ context, event }) => {
      const change = changeOf(event);
      return change ? { changes: [...context.changes, change] } : {};
    }),
    apply: assign(({ context, event }) => (event.type === "WRITTEN" ? written(context, event.record) : {})),
    drop: assign({ changes: ({ context }) => context.changes.slice(1) }),
    settle: emit(({ context, event }) => {
      const [change] = context.changes;
      const record = event.type === "WRITTEN" ? event.record : null;
      const reply = record ? show(context, record) : { key: change?.type === "remove" ? change.key : "" };
      return { type: "settled", id: change?.id ?? "", reply };
    }),
    refuse: emit(({ context, event }) => ({
      type: "failed",
      id: context.changes[0]?.id ?? "",
      refusal: event.type === "WRITE_FAILED" ? event.refusal : gone,
    })),
  },
}).createMachine({
  id: "scheduler",
  context: ({ input }) => ({
    ...input,
    now: null,
    adhan: { on: false, at: null },
    due: [],
    running: null,
    missed: [],
    changes: [],
  }),
  type: "parallel",
  on: {
    CREATE: { actions: "queue" },
    ENABLE: { actions: "queue" },
    REMOVE: { actions: "queue" },
  },
  states: {
    keeping: {
      initial: "kept",
      states: {
        kept: {
          always: [
            { guard: "isOrphan", actions: ["refuse", "drop"] },
            { guard: "hasChanges", target: "writing" },
          ],
        },
        writing: {
          entry: { type: "write", params: ({ context }) => writeOf(context) ?? noWrite },
          on: {
            WRITTEN: [
              { guard: "isAnswered", target: "kept", actions: ["apply", "settle", "drop"] },
              { target: "kept", actions: "drop" },
            ],
            WRITE_FAILED: [
              { guard: "isAnswered", target: "kept", actions: ["refuse", "drop"] },
              { target: "kept", actions: "drop" },
            ],
          },
        },
      },
    },
    timing: {
      initial: "reading",
      on: {
        CLOCK_CHANGED: { target: ".reading" },
        ZONE_SET: { target: ".reading", actions: "setZone" },
        ADHAN_CHANGED: { target: ".reading", actions: "setAdhan" },
        // What was changed may be due sooner than the clock is looked at.
        WRITTEN: { target: ".reading" },
      },
      states: {
        reading: {
          entry: "readClock",
          on: {
            TIME_READ: {
              target: "deciding",
              actions: ["takeReading", { type: "noteMissed", params: ({ context }) => context }],
            },
          },
        },
        deciding: {
          always: [
            { guard: "isHeldBack", target: "held" },
            { guard: "isDue", target: "running" },
            { target: "waiting" },
          ],
        },
        waiting: { after: { untilNext: "reading" } },
        held: { after: { untilNext: "reading" } },
        running: {
          entry: ["begin", { type: "runTarget", params: ({ context }) => orderOf(context) }],
          on: {
            TARGET_RUN: { target: "reading", actions: "finish" },
            TARGET_FAILED: { target: "reading", actions: "finish" },
            CLOCK_CHANGED: {},
            ZONE_SET: { actions: "setZone" },
            ADHAN_CHANGED: { actions: "setAdhan" },
            WRITTEN: {},
          },
        },
      },
    },
  },
});

type SchedulerSnapshot = SnapshotFrom<typeof schedulerMachine>;

export function viewOfScheduler({ context }: SchedulerSnapshot): readonly ScheduleView[] {
  return context.schedules.map((schedule) => show(context, schedule));
}

export function refusalOfScheduler(snapshot: SchedulerSnapshot, command: SchedulerCommand): Refusal | null {
  const { schedules } = snapshot.context;
  if (command.type === "CREATE") {
    if (schedules.length < maxSchedules) return null;
    return { code: "conflict", message: `there are ${maxSchedules} schedules already` };
  }
  const known = schedules.some(({ id }) => id === command.key);
  return known ? null : { code: "not_found", message: `there is no schedule ${command.key}` };
}

function show({ zone, now }: SchedulerContext, schedule: Schedule): ScheduleView {
  const { since: _, done: __, ...listed } = schedule;
  const at = now === null ? null : nextRun(schedule, zone, now);
  return { ...listed, next_run: at === null ? null : isoAt(zone, at) };
}

/** What is to be done for the schedule that runs. */
export interface RunOrder {
  key: string;
  target: Target;
  volume: number | null;
}

function orderOf({ running, schedules }: SchedulerContext): RunOrder {
  const schedule = schedules.find(({ id }) => id === running?.key);
  if (!schedule) throw new Error("a schedule runs that does not exist");
  return { key: schedule.id, target: schedule.target, volume: schedule.volume };
}

function changeOf(event: SchedulerEvent): Change | null {
  const { type } = event;
  if (type === "CREATE") return { type: "create", id: event.id, schedule: event.schedule };
  if (type === "ENABLE") return { type: "enable", id: event.id, key: event.key, enabled: event.enabled };
  if (type === "REMOVE") return { type: "remove", id: event.id, key: event.key };
  return null;
}
