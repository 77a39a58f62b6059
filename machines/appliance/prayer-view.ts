/** What `GET /prayer` shows, from what the prayer actor knows and the time of this moment. */
import { type HijriDate, hijriOf } from "./hijri.ts";
import { type PrayerConfig, placeOf } from "./prayer-config.ts";
import { nextPrayer, prayersOfDate } from "./prayer-next.ts";
import { methodName, type PrayerName, prayerNames } from "./prayer-times.ts";
import { qiblaOf } from "./qibla.ts";
import type { Zone } from "./timezone.ts";
import { civilAt, dateText, timeText } from "./timezone-civil.ts";

/** What the actor shows; the rest follows from the time. */
export interface PrayerView {
  config: PrayerConfig;
  zone: Zone;
  /** Seconds since 1970; null when no adhan will sound. */
  next_adhan: number | null;
  /** When the adhan that begins or sounds was due; null when there is none. */
  called_at: number | null;
  sounding: PrayerName | "test" | null;
}

/** Why no adhan sounds by itself. */
export type SilentReason = "no_location" | "no_clock" | "adhan_disabled" | "no_prayer_chosen";

export interface PrayerReport {
  /** Null while the time is not known. */
  date: string | null;
  hijri: HijriDate | null;
  /** `HH:MM`, local; null without location or time. */
  times: Record<PrayerName, string> | null;
  next: { name: PrayerName; time: string; in_seconds: number } | null;
  config: PrayerConfig;
  method_name: string;
  /** Degrees clockwise from north. */
  qibla: number | null;
  configured: boolean;
  /** The sun gives no times here today; a rule did. */
  estimated: boolean;
  sounding: PrayerName | "test" | null;
  reason: SilentReason | null;
}

/** `now` is in seconds since 1970, null while the time is not known. */
export function prayerReport({ config, zone, sounding }: PrayerView, now: number | null): PrayerReport {
  const place = placeOf(config);
  const today = now === null ? null : civilAt(zone, now).day;
  const shown = place && today !== null ? prayersOfDate(place, config, zone, today) : null;
  const clock = (at: number) => timeText(civilAt(zone, at));
  const next = place && now !== null ? nextPrayer(place, config, now) : null;
  return {
    date: today === null ? null : dateText(today),
    hijri: today === null ? null : hijriOf(today),
    times:
      shown &&
      (Object.fromEntries(prayerNames.map((name) => [name, clock(shown.times[name])])) as Record<
        PrayerName,
        string
      >),
    next: next && now !== null ? { name: next.name, time: clock(next.at), in_seconds: next.at - now } : null,
    config,
    method_name: methodName(config.method),
    qibla: place && qiblaOf(place.lat, place.lng),
    configured: place !== null,
    estimated: shown?.estimated ?? false,
    sounding,
    reason: reasonOf(config, now),
  };
}

function reasonOf(config: PrayerConfig, now: number | null): SilentReason | null {
  if (!placeOf(config)) return "no_location";
  if (now === null) return "no_clock";
  if (!config.adhan.enabled) return "adhan_disabled";
  return (config.adhan.prayer_mask & 0b111101) === 0 ? "no_prayer_chosen" : null;
}
