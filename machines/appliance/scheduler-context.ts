/** What the scheduler knows, and what it makes of a reading of the clock. */
import {
  afterwards,
  latestStart,
  nextRun,
  type Occurrence,
  reached,
  type Schedule,
  withoutFuture,
} from "./schedule.ts";
import type { Zone } from "./timezone.ts";

/** The adhan as the scheduler sees it; `at` is when the next one begins. */
export interface AdhanOutlook {
  on: boolean;
  at: number | null;
}

/** As a person plans it. */
export type PlannedSchedule = Omit<Schedule, "since" | "done">;

/** A change on its way to the store; nobody waits for a mark, which says how far a schedule has come. */
export type Change =
  | { type: "create"; id: string; schedule: PlannedSchedule }
  | { type: "enable"; id: string; key: string; enabled: boolean }
  | { type: "remove"; id: string; key: string }
  | { type: "mark"; id: null; key: string };

/** What is to be written. A `fresh` record counts from the moment at which it is written. */
export interface Write {
  record: Schedule | null;
  created: boolean;
  fresh: boolean;
  remove: string | null;
}

export const noWrite: Write = { record: null, created: false, fresh: false, remove: null };

export type DueSchedule = Occurrence & { key: string };

export interface SchedulerContext {
  schedules: readonly Schedule[];
  zone: Zone;
  /** Null while the time is not known. */
  now: number | null;
  adhan: AdhanOutlook;
  /** Due and not yet run, oldest first. */
  due: readonly DueSchedule[];
  running: DueSchedule | null;
  /** Given up at the last reading, for the log. */
  missed: readonly DueSchedule[];
  /** Not yet written, oldest first; one is written at a time, so that none overtakes another. */
  changes: readonly Change[];
}

/** Takes a reading of the clock: what it reached is due, or too late. */
export function read(context: SchedulerContext, now: number | null): Partial<SchedulerContext> {
  if (now === null) return { now, due: [], missed: [] };
  const due = [...context.due];
  const missed: DueSchedule[] = [];
  const schedules = context.schedules.map((known) => {
    const schedule = withoutFuture(known, context.zone, now);
    const occurrence = reached(schedule, context.zone, now);
    if (!occurrence || due.some(({ key }) => key === schedule.id)) return schedule;
    const entry = { key: schedule.id, ...occurrence };
    if (now - occurrence.at <= latestStart) {
      due.push(entry);
      return schedule;
    }
    missed.push(entry);
    return afterwards(schedule, occurrence.day);
  });
  due.sort((a, b) => a.at - b.at);
  const marks = missed.map(({ key }): Change => ({ type: "mark", id: null, key }));
  return { now, schedules, due, missed, changes: [...context.changes, ...marks] };
}

/** The first one that is due is taken out of the queue while it runs. */
export function begun({ due }: SchedulerContext): Partial<SchedulerContext> {
  return { running: due[0] ?? null, due: due.slice(1) };
}

/** It was run, or could not be. */
export function finished({ running, schedules, changes }: SchedulerContext): Partial<SchedulerContext> {
  const schedule = schedules.find(({ id }) => id === running?.key);
  if (!running || !schedule) return { running: null };
  return {
    running: null,
    schedules: withSchedule(schedules, afterwards(schedule, running.day)),
    changes: [...changes, { type: "mark", id: null, key: schedule.id }],
  };
}

/** The oldest change as the store gets it, made of what is known now; null when its schedule is gone. */
export function writeOf({ changes, schedules }: SchedulerContext): Write | null {
  const [change] = changes;
  if (change?.type === "remove") return { ...noWrite, remove: change.key };
  if (change?.type === "create") {
    const record = { ...change.schedule, since: 0, done: null };
    return { record, created: true, fresh: true, remove: null };
  }
  const known = schedules.find(({ id }) => id === change?.key);
  if (!known || !change) return null;
  if (change.type === "mark") return { ...noWrite, record: known };
  const fresh = change.enabled && !known.enabled;
  const record = { ...known, enabled: change.enabled, done: fresh ? null : known.done };
  return { ...noWrite, record, fresh };
}

/** The oldest change was stored, as `record`. What has run meanwhile stays marked. */
export function written(context: SchedulerContext, record: Schedule | null): Partial<SchedulerContext> {
  const { schedules, due, changes } = context;
  const [change] = changes;
  if (change?.type === "remove") {
    const others = ({ key }: { key: string }) => key !== change.key;
    return { schedules: schedules.filter(({ id }) => id !== change.key), due: due.filter(others) };
  }
  if (!record || !change || change.type === "mark") return {};
  const known = schedules.find(({ id }) => id === record.id);
  const merged = known && known.since === record.since ? { ...record, done: known.done } : record;
  return {
    schedules: withSchedule(schedules, merged),
    due: record.enabled ? due : due.filter(({ key }) => key !== record.id),
  };
}

/** An adhan that is on, or whose minute has come though it has not begun yet, goes first. */
export function holdsBack({ adhan, now }: SchedulerContext): boolean {
  if (adhan.on) return true;
  return adhan.at !== null && now !== null && adhan.at <= now && now - adhan.at <= latestStart;
}

/** Looking at the clock costs nothing; the bound keeps timers short of their limit and an unseen drift small. */
const longestWait = 3_600;

/** Milliseconds until the clock is worth another look. */
export function waitMs(context: SchedulerContext): number {
  const { schedules, zone, now, adhan } = context;
  if (now === null) return longestWait * 1000;
  const times = schedules.map((schedule) => nextRun(schedule, zone, now)).filter((at) => at !== null);
  if (adhan.at !== null && holdsBack(context)) times.push(adhan.at + latestStart + 1);
  const next = Math.min(...times.filter((at) => at > now), now + longestWait);
  return (next - now) * 1000;
}

function withSchedule(schedules: readonly Schedule[], schedule: Schedule): readonly Schedule[] {
  const at = schedules.findIndex(({ id }) => id === schedule.id);
  return at < 0 ? [...schedules, schedule] : schedules.with(at, schedule);
}
