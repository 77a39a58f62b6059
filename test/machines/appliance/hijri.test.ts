import { expect, it } from "vitest";
import { hijriOf } from "../../../machines/appliance/hijri.ts";
import { qiblaOf } from "../../../machines/appliance/qibla.ts";
import { daysFromCivil } from "../../../machines/appliance/timezone.ts";

it("every day from 1970 to 2099 is the same as in the platform's tabular calendar", () => {
  const format = new Intl.DateTimeFormat("en-u-ca-islamic-civil-nu-latn", {
    timeZone: "UTC",
    year: "numeric",
    month: "numeric",
    day: "numeric",
  });
  const wrong: number[] = [];
  for (let day = 0; day < daysFromCivil(2100, 1, 1); day++) {
    const parts = format.formatToParts(day * 86_400_000);
    const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const hijri = hijriOf(day);
    if (hijri.year !== value("year") || hijri.month !== value("month") || hijri.day !== value("day"))
      wrong.push(day);
  }
  expect(wrong).toEqual([]);
});

it("months have their names in both languages", () => {
  expect(hijriOf(daysFromCivil(2026, 2, 20))).toMatchObject({
    year: 1447,
    month: 9,
    month_name: "Ramadan",
    month_name_ar: "رمضان",
  });
});

it.each([
  ["London", 51.5074, -0.1278, 118.99],
  ["New York", 40.7128, -74.006, 58.48],
  ["Jakarta", -6.2088, 106.8456, 295.15],
  ["Sydney", -33.8688, 151.2093, 277.5],
  ["Casablanca", 33.5731, -7.5898, 93.61],
])("the qibla of %s is that of the great circle", (_, lat, lng, degrees) => {
  expect(Math.abs(qiblaOf(lat, lng) - degrees)).toBeLessThan(0.1);
});

it("the qibla stays within a full turn everywhere, with two decimals", () => {
  for (let lat = -90; lat <= 90; lat += 15)
    for (let lng = -180; lng <= 180; lng += 15) {
      expect(qiblaOf(lat, lng)).toBeGreaterThanOrEqual(0);
      expect(qiblaOf(lat, lng)).toBeLessThan(360);
      expect(String(qiblaOf(lat, lng))).toMatch(/^\d{1,3}(\.\d\d?)?$/);
    }
});
