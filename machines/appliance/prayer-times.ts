/** Prayer times from the sun, complete everywhere: where the sun gives none, by a rule and marked as estimated. */
import { CalculationParameters, Coordinates, PrayerTimes, Rounding } from "adhan";
import { hijriOf } from "./hijri.ts";
import { asrAt, type Noon, twilightAt } from "./prayer-sun.ts";
import { civilFromDays, secondsPerDay } from "./timezone.ts";

export const prayerNames = ["fajr", "sunrise", "dhuhr", "asr", "maghrib", "isha"] as const;
export type PrayerName = (typeof prayerNames)[number];

/** In the order of the API's `method`. Isha is an angle, or minutes after maghrib. */
const methods = [
  { name: "MWL", fajr: 18, isha: { angle: 17 } },
  { name: "ISNA", fajr: 15, isha: { angle: 15 } },
  { name: "Egyptian", fajr: 19.5, isha: { angle: 17.5 } },
  { name: "Umm al-Qura", fajr: 18.5, isha: { minutes: 90, ramadan: 120 } },
  { name: "Karachi", fajr: 18, isha: { angle: 18 } },
] as const;

export interface Place {
  lat: number;
  lng: number;
}

export interface Calculation {
  method: number;
  asr_hanafi: boolean;
  offsets_min: readonly number[];
}

/** Instants in seconds since 1970, each at a whole minute. */
export type Times = Record<PrayerName, number>;

export interface PrayerDay {
  times: Times;
  estimated: boolean;
}

export function methodName(method: number): string {
  return methodOf(method).name;
}

/** The times of one solar day: the one whose noon at this longitude belongs to that date. */
export function prayerDay(place: Place, calculation: Calculation, day: number): PrayerDay {
  const { times, estimated } = sunTimes(place, calculation, day);
  const entries = prayerNames.map((name, at) => {
    const minutes = Math.round(times[name] / 60) + (calculation.offsets_min[at] ?? 0);
    return [name, minutes * 60] as const;
  });
  return { times: Object.fromEntries(entries) as Times, estimated };
}

/** Where the sun gives no day at all, that of this latitude is taken, as the Islamic Fiqh Council decided. */
const borrowedLatitude = 45;

/** Before rounding and offsets. */
function sunTimes(place: Place, calculation: Calculation, day: number): PrayerDay {
  const own = timesAt(place, calculation, day);
  if (own) return own;
  const lat = Math.sign(place.lat) * borrowedLatitude;
  const borrowed = timesAt({ lat, lng: place.lng }, calculation, day);
  if (!borrowed) throw new RangeError(`no prayer times at ${place.lat}, ${place.lng}`);
  return { ...borrowed, estimated: true };
}

function timesAt({ lat, lng }: Place, calculation: Calculation, day: number): PrayerDay | null {
  const today = sunOf(lat, lng, day);
  const tomorrow = sunOf(lat, lng, day + 1);
  const noon = { lat, at: today.dhuhr, next: tomorrow.dhuhr };
  const asr = asrAt(noon, calculation.asr_hanafi ? 2 : 1);
  const night = tomorrow.sunrise - today.maghrib;
  if (!isDay({ ...today, asr }) || Number.isNaN(night)) return null;
  const fajr = fajrOf(noon, calculation, today.sunrise, night);
  const isha = ishaOf(noon, calculation, day, today.maghrib, night);
  const times = { ...today, asr, fajr: fajr.at, isha: isha.at };
  return { times, estimated: fajr.estimated || isha.estimated };
}

const minute = 60;

/** Near the polar circle asr comes out of order, and a sun that only grazes the horizon makes no day. */
function isDay({ sunrise, dhuhr, asr, maghrib }: Sun & { asr: number }): boolean {
  const ordered = sunrise + 5 * minute < dhuhr && dhuhr + 5 * minute < asr && asr + 5 * minute < maghrib;
  return ordered && maghrib - sunrise < secondsPerDay - 30 * minute;
}

interface Moment {
  at: number;
  estimated: boolean;
}

/** Where the sun does not sink to the angle, fajr and isha take the angle's sixtieth part of the night. */
function fajrOf(noon: Noon, { method }: Calculation, sunrise: number, night: number): Moment {
  const angle = methodOf(method).fajr;
  const at = twilightAt(noon, "morning", angle);
  const missing = Number.isNaN(at);
  return { at: missing ? sunrise - (night * angle) / 60 : at, estimated: missing };
}

function ishaOf(noon: Noon, { method }: Calculation, day: number, maghrib: number, night: number): Moment {
  const { isha } = methodOf(method);
  if ("angle" in isha) {
    const at = twilightAt(noon, "evening", isha.angle);
    const missing = Number.isNaN(at);
    return { at: missing ? maghrib + (night * isha.angle) / 60 : at, estimated: missing };
  }
  const after = (hijriOf(day).month === 9 ? isha.ramadan : isha.minutes) * minute;
  const tooShort = after >= night / 2;
  return { at: maghrib + (tooShort ? night / 3 : after), estimated: tooShort };
}

type Sun = Pick<Times, "sunrise" | "dhuhr" | "maghrib">;

const plain = new CalculationParameters("Other", 18, 18);
plain.rounding = Rounding.None;

/**
 * The library counts a noon from UTC midnight and so loses or doubles a day at the date line, where the two
 * meet: there a place 8° further in is asked, and its times moved. The sun changes by a second or two meanwhile.
 */
function sunOf(lat: number, lng: number, day: number): Sun {
  const inward = Math.abs(lng) > 172 ? 8 * Math.sign(lng) : 0;
  const { year, month, day: dayOfMonth } = civilFromDays(day);
  // It reads the date's local year, month and day only; noon exists on every day of every zone.
  const date = new Date(year, month - 1, dayOfMonth, 12);
  const { sunrise, dhuhr, maghrib } = new PrayerTimes(new Coordinates(lat, lng - inward), date, plain);
  const seconds = (time: Date) => time.getTime() / 1000 - inward * 240;
  return { sunrise: seconds(sunrise), dhuhr: seconds(dhuhr), maghrib: seconds(maghrib) };
}

function methodOf(method: number): (typeof methods)[number] {
  return methods[method] ?? methods[0];
}
