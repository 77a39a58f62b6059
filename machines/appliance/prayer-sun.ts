/**
 * The instants that hang on the sun's altitude far from the horizon: twilight and asr.
 * The library finds them from the declination of midnight UTC and one correction. Against NOAA's formula half of
 * all asr times at 50° were then more than a minute off (twelve near the polar circle), and a late twilight six.
 */
const radians = Math.PI / 180;

/** Degrees north of the equator at which the sun stands overhead, to a hundredth (Astronomical Almanac). */
function declinationAt(epoch: number): number {
  const days = epoch / 86_400 - 10_957.5;
  const anomaly = (357.529 + 0.98560028 * days) * radians;
  const mean = 280.459 + 0.98564736 * days;
  const longitude = (mean + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * radians;
  return Math.asin(Math.sin(23.436 * radians) * Math.sin(longitude)) / radians;
}

export interface Noon {
  lat: number;
  at: number;
  /** The noon after it; the sun's own day is up to half a minute longer or shorter than the clock's. */
  next: number;
}

/** When the sun is that many degrees below the horizon, before or after noon; NaN where it never is. */
export function twilightAt(noon: Noon, side: "morning" | "evening", degrees: number): number {
  return instantAt(noon, side === "morning" ? -1 : 1, () => -degrees * radians);
}

/** When a shadow is its noon length and `shadow` times the thing itself; NaN where the sun never gives that. */
export function asrAt(noon: Noon, shadow: 1 | 2): number {
  const altitude = (declination: number) =>
    Math.atan(1 / (shadow + Math.tan(Math.abs(noon.lat - declination) * radians)));
  return instantAt(noon, 1, altitude);
}

function instantAt(noon: Noon, side: -1 | 1, altitudeOf: (declination: number) => number): number {
  const secondsPerDegree = (noon.next - noon.at) / 360;
  const lat = noon.lat * radians;
  let instant = noon.at + side * secondsPerDegree * 90;
  for (let round = 0; round < 6; round++) {
    const declination = declinationAt(instant);
    const cosine =
      (Math.sin(altitudeOf(declination)) - Math.sin(lat) * Math.sin(declination * radians)) /
      (Math.cos(lat) * Math.cos(declination * radians));
    instant = noon.at + side * (Math.acos(cosine) / radians) * secondsPerDegree;
  }
  return instant;
}
