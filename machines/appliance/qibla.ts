const kaaba = { lat: 21.4225, lng: 39.8262 };
const radians = Math.PI / 180;

/** The direction of the Kaaba on the great circle, in degrees clockwise from true north. */
export function qiblaOf(lat: number, lng: number): number {
  const east = (kaaba.lng - lng) * radians;
  const y = Math.sin(east);
  const x =
    Math.cos(lat * radians) * Math.tan(kaaba.lat * radians) - Math.sin(lat * radians) * Math.cos(east);
  const degrees = Math.atan2(y, x) / radians;
  return (Math.round((degrees + 360) * 100) % 36_000) / 100;
}
