/** Which prayers belong to a local date, and which comes next. */
import {
  type Calculation,
  type Place,
  type PrayerDay,
  type PrayerName,
  prayerDay,
  prayerNames,
} from "./prayer-times.ts";
import { secondsPerDay, type Zone } from "./timezone.ts";
import { instantOf } from "./timezone-civil.ts";

export interface NextPrayer {
  name: PrayerName;
  at: number;
}

/** The solar day whose noon is nearest to the local one: east of the date line that is another date's. */
export function prayersOfDate(place: Place, calculation: Calculation, zone: Zone, day: number): PrayerDay {
  const noon = instantOf(zone, { day, second: secondsPerDay / 2 }).epoch;
  return prayerDay(place, calculation, solarDayAt(place, noon));
}

/** The first prayer after an instant; sunrise is a time but no prayer, and never comes next. */
export function nextPrayer(
  place: Place,
  calculation: Calculation,
  after: number,
  wanted: (name: PrayerName, at: number) => boolean = () => true,
): NextPrayer | null {
  const today = solarDayAt(place, after);
  let next: NextPrayer | null = null;
  // Offsets may carry a prayer past midnight either way, so both neighbours are looked at, and one more.
  for (let day = today - 1; day <= today + 2; day++) {
    const { times } = prayerDay(place, calculation, day);
    for (const name of prayerNames) {
      const at = times[name];
      if (name === "sunrise" || at <= after || !wanted(name, at)) continue;
      if (!next || at < next.at) next = { name, at };
    }
  }
  return next;
}

/** The date at this longitude, by the mean sun. */
function solarDayAt({ lng }: Place, epoch: number): number {
  return Math.floor((epoch + lng * 240) / secondsPerDay);
}

/** Bit order of the API's mask is that of the names; sunrise has a bit that is ignored. */
export function isWanted(mask: number, name: PrayerName): boolean {
  return name !== "sunrise" && ((mask >> prayerNames.indexOf(name)) & 1) === 1;
}
