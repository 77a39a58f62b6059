/** NOAA's solar position, written from its published equations: an oracle that shares nothing with the product. */
const rad = Math.PI / 180;

/** Declination in degrees and the equation of time in minutes. */
export function sunAt(epoch: number): { declination: number; equation: number } {
  const t = (epoch / 86_400 + 2_440_587.5 - 2_451_545) / 36_525;
  const longitude = (280.46646 + t * (36_000.76983 + t * 0.0003032)) % 360;
  const anomaly = 357.52911 + t * (35_999.05029 - 0.0001537 * t);
  const eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t);
  const centre =
    Math.sin(anomaly * rad) * (1.914602 - t * (0.004817 + 0.000014 * t)) +
    Math.sin(2 * anomaly * rad) * (0.019993 - 0.000101 * t) +
    Math.sin(3 * anomaly * rad) * 0.000289;
  const node = 125.04 - 1934.136 * t;
  const apparent = longitude + centre - 0.00569 - 0.00478 * Math.sin(node * rad);
  const mean = 23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60;
  const obliquity = mean + 0.00256 * Math.cos(node * rad);
  const declination = Math.asin(Math.sin(obliquity * rad) * Math.sin(apparent * rad)) / rad;
  const y = Math.tan((obliquity / 2) * rad) ** 2;
  const l = longitude * rad;
  const m = anomaly * rad;
  const equation =
    (4 / rad) *
    (y * Math.sin(2 * l) -
      2 * eccentricity * Math.sin(m) +
      4 * eccentricity * y * Math.sin(m) * Math.cos(2 * l) -
      0.5 * y * y * Math.sin(4 * l) -
      1.25 * eccentricity * eccentricity * Math.sin(2 * m));
  return { declination, equation };
}

/** The instant of the true noon of a solar day. */
export function noonOf(lng: number, day: number): number {
  const mean = day * 86_400 + 43_200 - lng * 240;
  let noon = mean;
  for (let round = 0; round < 3; round++) noon = mean - sunAt(noon).equation * 60;
  return noon;
}

/** The instant before (−1) or after (1) noon at which the sun stands at an altitude that may depend on declination. */
export function instantAtAltitude(
  lat: number,
  lng: number,
  day: number,
  side: -1 | 1,
  altitudeOf: (declination: number) => number,
): number {
  const mean = day * 86_400 + 43_200 - lng * 240;
  let instant = noonOf(lng, day);
  for (let round = 0; round < 5; round++) {
    const { declination, equation } = sunAt(instant);
    const cosine =
      (Math.sin(altitudeOf(declination) * rad) - Math.sin(lat * rad) * Math.sin(declination * rad)) /
      (Math.cos(lat * rad) * Math.cos(declination * rad));
    instant = mean - equation * 60 + (side * Math.acos(cosine)) / rad / (1 / 240);
  }
  return instant;
}

/** The sun's altitude in degrees, for saying how far off a disputed minute is. */
export function altitudeAt(lat: number, lng: number, epoch: number): number {
  const { declination, equation } = sunAt(epoch);
  const hourAngle = ((epoch % 86_400) + equation * 60) / 240 + lng - 180;
  const sine =
    Math.sin(lat * rad) * Math.sin(declination * rad) +
    Math.cos(lat * rad) * Math.cos(declination * rad) * Math.cos(hourAngle * rad);
  return Math.asin(sine) / rad;
}

export function asrAltitude(lat: number, declination: number, shadow: number): number {
  return Math.atan(1 / (shadow + Math.tan(Math.abs(lat - declination) * rad))) / rad;
}
