/** The clock on the wall: between instants and local dates and times, over gaps and folds. */
import { civilFromDays, offsetAt, secondsPerDay, type Zone } from "./timezone.ts";

/** A local date as days since 1970, and the seconds since its midnight. */
export interface Civil {
  day: number;
  second: number;
}

export function civilAt(zone: Zone, epoch: number): Civil {
  const local = Math.floor(epoch) + offsetAt(zone, epoch);
  const day = Math.floor(local / secondsPerDay);
  return { day, second: local - day * secondsPerDay };
}

/** What a local time means: one instant, two of which the first is taken, or none, and then the end of the gap. */
export interface Instant {
  epoch: number;
  kind: "exact" | "fold" | "gap";
}

export function instantOf(zone: Zone, { day, second }: Civil): Instant {
  const local = day * secondsPerDay + second;
  const offsets = [zone.standard, ...(zone.summer ? [zone.summer.offset] : [])];
  const fits = offsets
    .filter((offset, at) => offsets.indexOf(offset) === at && offsetAt(zone, local - offset) === offset)
    .map((offset) => local - offset);
  if (fits.length === 1) return { epoch: fits[0]!, kind: "exact" };
  if (fits.length > 1) return { epoch: Math.min(...fits), kind: "fold" };
  return { epoch: endOfGap(zone, local, offsets), kind: "gap" };
}

/** The first whole local minute after the clock was put forward over `local`. */
function endOfGap(zone: Zone, local: number, offsets: readonly number[]): number {
  let before = local - Math.max(...offsets);
  let after = local - Math.min(...offsets);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offsetAt(zone, middle) < local) before = middle;
    else after = middle;
  }
  return after + ((60 - (civilAt(zone, after).second % 60)) % 60);
}

/** What an offset in ISO 8601 can say. */
const maxShownMinutes = 23 * 60 + 59;

/** ISO 8601 with offset. One with seconds, or of 24 hours, cannot be said there: the date follows what is said, so the instant stays exact. */
export function isoAt(zone: Zone, epoch: number): string {
  const offset = Math.trunc(offsetAt(zone, epoch) / 60);
  const minutes = Math.max(-maxShownMinutes, Math.min(maxShownMinutes, offset));
  const text = new Date((Math.floor(epoch) + minutes * 60) * 1000).toISOString().slice(0, 19);
  const size = Math.abs(minutes);
  return `${text}${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** `YYYY-MM-DD`. */
export function dateText(day: number): string {
  const civil = civilFromDays(day);
  return `${String(civil.year).padStart(4, "0")}-${two(civil.month)}-${two(civil.day)}`;
}

/** `HH:MM`. */
export function timeText({ second }: Pick<Civil, "second">): string {
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}`;
}

/** As a person set the clock's face: `14:05` or `2:05 PM`. */
export function faceText(civil: Pick<Civil, "second">, hours24: boolean): string {
  if (hours24) return timeText(civil);
  const hour = Math.floor(civil.second / 3600);
  const minute = two(Math.floor(civil.second / 60) % 60);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? "AM" : "PM"}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
