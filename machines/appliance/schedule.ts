/** When a schedule is due: one occurrence per local date, over gaps, folds and set clocks. */
import type { Target } from "./target.ts";
import { weekdayOf, type Zone } from "./timezone.ts";
import { civilAt, instantOf } from "./timezone-civil.ts";

/** As it is stored. Times are seconds since 1970, days are counted from then too. */
export interface Schedule {
  id: string;
  hour: number;
  minute: number;
  /** Bit 0 is Sunday; 0 means once. */
  days: number;
  target: Target;
  volume: number | null;
  enabled: boolean;
  /** Nothing up to here counts: when it was made or enabled. */
  since: number;
  /** The local date of the last occurrence that was run or skipped. */
  done: number | null;
}

export interface Occurrence {
  day: number;
  at: number;
}

/** One later than this is skipped. */
export const latestStart = 120;

/** Far enough to find any weekday, with a day on either side for the change of date. */
const horizon = 9;

/** The occurrence to run or to give up now: the last one that the clock has reached and nobody has taken. */
export function reached(schedule: Schedule, zone: Zone, now: number): Occurrence | null {
  if (!schedule.enabled) return null;
  if (schedule.days === 0) {
    const only = first(schedule, zone, schedule.since);
    return only && only.at <= now ? only : null;
  }
  const today = civilAt(zone, now).day;
  for (let day = today + 1; day >= today - horizon; day--) {
    const occurrence = on(schedule, zone, day);
    if (occurrence && occurrence.at <= now) return occurrence.at > schedule.since ? occurrence : null;
  }
  return null;
}

/** When it runs next; null while it is disabled. */
export function nextRun(schedule: Schedule, zone: Zone, now: number): number | null {
  if (!schedule.enabled) return null;
  const from = schedule.days === 0 ? schedule.since : Math.max(now, schedule.since);
  return first(schedule, zone, from)?.at ?? null;
}

function first(schedule: Schedule, zone: Zone, after: number): Occurrence | null {
  const start = civilAt(zone, after).day - 1;
  for (let day = start; day <= start + horizon + 1; day++) {
    const occurrence = on(schedule, zone, day);
    if (occurrence && occurrence.at > after) return occurrence;
  }
  return null;
}

function on(schedule: Schedule, zone: Zone, day: number): Occurrence | null {
  if (schedule.done !== null && day <= schedule.done) return null;
  if (schedule.days !== 0 && ((schedule.days >> weekdayOf(day)) & 1) === 0) return null;
  const second = schedule.hour * 3600 + schedule.minute * 60;
  return { day, at: instantOf(zone, { day, second }).epoch };
}

/** After a run or a skip; one that was meant for once is over. */
export function afterwards(schedule: Schedule, day: number): Schedule {
  return { ...schedule, done: day, enabled: schedule.enabled && schedule.days !== 0 };
}

/**
 * What a clock that was put back leaves behind: marks from a time that has not come yet would silence a schedule
 * for as long. Those of today and tomorrow stay, so that a small correction makes nothing run twice.
 */
export function withoutFuture(schedule: Schedule, zone: Zone, now: number): Schedule {
  const latest = civilAt(zone, now).day + 1;
  const since = Math.min(schedule.since, now);
  const done = schedule.done !== null && schedule.done > latest ? null : schedule.done;
  return since === schedule.since && done === schedule.done ? schedule : { ...schedule, since, done };
}
