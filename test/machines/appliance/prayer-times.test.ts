import { describe, expect, it } from "vitest";
import { isWanted, nextPrayer, prayersOfDate } from "../../../machines/appliance/prayer-next.ts";
import {
  methodName,
  type PrayerName,
  prayerDay,
  prayerNames,
} from "../../../machines/appliance/prayer-times.ts";
import { daysFromCivil, parseZone } from "../../../machines/appliance/timezone.ts";
import { isoAt } from "../../../machines/appliance/timezone-civil.ts";
import { altitudeAt, asrAltitude, instantAtAltitude, noonOf, sunAt } from "./noaa-sun.ts";

const everything = process.env.CI === "true";
const noOffsets = [0, 0, 0, 0, 0, 0];
const newYear = daysFromCivil(2026, 1, 1);
const horizon = -0.8333;
const angles = [
  { fajr: 18, isha: 17 },
  { fajr: 15, isha: 15 },
  { fajr: 19.5, isha: 17.5 },
  { fajr: 18.5, isha: null },
  { fajr: 18, isha: 18 },
];

/** The same 200 places on every run, evenly over the inhabited latitudes and all longitudes. */
const places = Array.from({ length: 200 }, (_, n) => ({
  lat: -55 + (n * 120) / 199,
  lng: ((n * 137.508) % 360) - 180,
}));

function altitudesOf(method: number, shadow: number, lat: number) {
  const { fajr, isha } = angles[method]!;
  const fixed = (angle: number) => () => angle;
  return {
    fajr: { side: -1, of: fixed(-fajr) },
    sunrise: { side: -1, of: fixed(horizon) },
    asr: { side: 1, of: (declination: number) => asrAltitude(lat, declination, shadow) },
    maghrib: { side: 1, of: fixed(horizon) },
    ...(isha !== null && { isha: { side: 1, of: fixed(-isha) } }),
  } as Partial<Record<PrayerName, { side: -1 | 1; of(declination: number): number }>>;
}

describe("prayer times against NOAA's solar position", () => {
  const days = everything ? 1 : 13;
  for (let method = 0; method < 5; method++) {
    it(`${methodName(method)}: both schools, 200 places, every ${days === 1 ? "" : `${days}th `}day, within a minute`, () => {
      const wrong: string[] = [];
      let compared = 0;
      let grazing = 0;
      for (const { lat, lng } of places)
        for (let day = newYear; day < newYear + 365; day += days)
          for (const shadow of [1, 2]) {
            const calculation = { method, asr_hanafi: shadow === 2, offsets_min: noOffsets };
            const { times, estimated } = prayerDay({ lat, lng }, calculation, day);
            if (Math.abs(times.dhuhr - noonOf(lng, day)) > 60) wrong.push(`${lat} ${lng} ${day} dhuhr`);
            if (estimated) continue;
            for (const [name, { side, of }] of Object.entries(altitudesOf(method, shadow, lat))) {
              if (shadow === 2 && name !== "asr") continue;
              const at = times[name as PrayerName];
              const difference = Math.abs(at - instantAtAltitude(lat, lng, day, side, of));
              compared++;
              if (difference <= 60) continue;
              // A sun that sinks almost level crosses an angle so slowly that a hundredth of a degree is minutes.
              const off = Math.abs(altitudeAt(lat, lng, at) - of(sunAt(at).declination));
              if (off < 0.03) grazing++;
              else wrong.push(`${lat} ${lng} ${day} ${name} ${difference} s ${off}°`);
            }
          }
      expect(wrong).toEqual([]);
      expect(compared).toBeGreaterThan(200 * (365 / days) * 3);
      expect(grazing / compared).toBeLessThan(0.002);
    }, 60_000);
  }
});

describe("prayer times at the ends of the earth", () => {
  it("are complete, ordered and flagged on every day of the year, up to the poles", () => {
    for (const lat of [48.5, 58, 60.17, 64.1, 66, 66.56, 67, 69.65, 78.2, 85, 90, -54.8, -67.6, -77.8, -90])
      for (let method = 0; method < 5; method++)
        for (const asr_hanafi of [false, true]) {
          const calculation = { method, asr_hanafi, offsets_min: noOffsets };
          let estimatedDays = 0;
          for (let day = newYear; day < newYear + 365; day++) {
            const { times, estimated } = prayerDay({ lat, lng: 18.95 }, calculation, day);
            const next = prayerDay({ lat, lng: 18.95 }, calculation, day + 1).times;
            const order = [...prayerNames.map((name) => times[name]), next.sunrise];
            expect(
              order.every((at, n) => n === 0 || at > order[n - 1]!),
              `${lat} ${method} ${day}`,
            ).toBe(true);
            expect(order.every((at) => Number.isInteger(at / 60))).toBe(true);
            if (estimated) estimatedDays++;
          }
          if (Math.abs(lat) > 66.7) expect(estimatedDays).toBeGreaterThan(30);
        }
  });

  it("are never estimated where the sun gives them", () => {
    for (let day = newYear; day < newYear + 365; day += 5)
      for (const lat of [-34, 0, 21.4, 45])
        expect(
          prayerDay({ lat, lng: 39.8 }, { method: 0, asr_hanafi: false, offsets_min: noOffsets }, day)
            .estimated,
        ).toBe(false);
  });

  it("no day is lost or doubled at the date line", () => {
    for (const lng of [180, 179.9, 176, -176, -179.9, -180])
      for (let day = newYear; day < newYear + 365; day++) {
        const calculation = { method: 0, asr_hanafi: false, offsets_min: noOffsets };
        const noon = prayerDay({ lat: -17, lng }, calculation, day).times.dhuhr;
        expect(Math.abs(noon - noonOf(lng, day))).toBeLessThanOrEqual(33);
      }
  });

  it("a place whose date is another than its longitude's has its noon on the local date", () => {
    const zone = parseZone("<+14>-14");
    const calculation = { method: 0, asr_hanafi: false, offsets_min: noOffsets };
    const { times } = prayersOfDate({ lat: 1.87, lng: -157.4 }, calculation, zone, newYear);
    expect(isoAt(zone, times.dhuhr)).toMatch(/^2026-01-01T12:/);
  });
});

describe("a day in Makkah", () => {
  const makkah = { lat: 21.4225, lng: 39.8262 };
  const zone = parseZone("AST-3");
  const calculation = { method: 3, asr_hanafi: false, offsets_min: noOffsets };

  it("isha is 90 minutes after maghrib, and 120 in Ramadan", () => {
    const gap = (day: number) => {
      const { times } = prayerDay(makkah, calculation, day);
      return (times.isha - times.maghrib) / 60;
    };
    expect(gap(daysFromCivil(2026, 1, 10))).toBe(90);
    expect(gap(daysFromCivil(2026, 3, 1))).toBe(120);
  });

  it("offsets are added in their order", () => {
    const day = newYear + 40;
    const plain = prayerDay(makkah, calculation, day).times;
    const moved = prayerDay(makkah, { ...calculation, offsets_min: [1, -2, 3, -4, 5, -6] }, day).times;
    expect(prayerNames.map((name) => (moved[name] - plain[name]) / 60)).toEqual([1, -2, 3, -4, 5, -6]);
  });

  it("after isha the next prayer is tomorrow's fajr, and sunrise is never next", () => {
    const today = prayersOfDate(makkah, calculation, zone, newYear).times;
    const tomorrow = prayersOfDate(makkah, calculation, zone, newYear + 1).times;
    expect(nextPrayer(makkah, calculation, today.isha)).toEqual({ name: "fajr", at: tomorrow.fajr });
    expect(nextPrayer(makkah, calculation, today.fajr)).toEqual({ name: "dhuhr", at: today.dhuhr });
    expect(nextPrayer(makkah, calculation, today.dhuhr - 1)).toEqual({ name: "dhuhr", at: today.dhuhr });
  });

  it("the mask leaves prayers out, and its bit for sunrise does nothing", () => {
    expect(prayerNames.filter((name) => isWanted(0b111111, name))).not.toContain("sunrise");
    const wanted = (name: PrayerName) => isWanted(0b001010, name);
    const today = prayersOfDate(makkah, calculation, zone, newYear).times;
    expect(nextPrayer(makkah, calculation, today.fajr, wanted)).toEqual({ name: "asr", at: today.asr });
    expect(nextPrayer(makkah, calculation, today.fajr, () => false)).toBeNull();
  });
});
