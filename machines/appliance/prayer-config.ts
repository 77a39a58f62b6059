import type { Refusal } from "../errors.ts";
import type { Calculation, Place } from "./prayer-times.ts";

/** The configuration as the API takes and echoes it. */
export interface PrayerConfig extends Calculation {
  /** Null until a location is set. */
  lat: number | null;
  lng: number | null;
  /** 0 MWL, 1 ISNA, 2 Egyptian, 3 Umm al-Qura, 4 Karachi. */
  method: number;
  adhan: {
    enabled: boolean;
    /** Bits in the order of the six names; sunrise's is ignored. */
    prayer_mask: number;
    /** 0 keeps the current volume. */
    volume: number;
    /** Empty for the built-in chime. */
    path: string;
  };
}

export type PrayerPatch = Partial<Omit<PrayerConfig, "adhan">> & { adhan?: Partial<PrayerConfig["adhan"]> };

export const defaultPrayerConfig: PrayerConfig = {
  lat: null,
  lng: null,
  method: 0,
  asr_hanafi: false,
  offsets_min: [0, 0, 0, 0, 0, 0],
  adhan: { enabled: false, prayer_mask: 0b111101, volume: 0, path: "" },
};

/** Fields left out keep their value. */
export function configured(config: PrayerConfig, patch: PrayerPatch): PrayerConfig {
  return { ...config, ...patch, adhan: { ...config.adhan, ...patch.adhan } };
}

/** Half a location is none. */
export function refusalOfConfig(config: PrayerConfig): Refusal | null {
  if ((config.lat === null) === (config.lng === null)) return null;
  const field = config.lat === null ? "lat" : "lng";
  return { code: "invalid_input", message: `${field} is missing: a location has both`, field };
}

export function placeOf({ lat, lng }: PrayerConfig): Place | null {
  return lat === null || lng === null ? null : { lat, lng };
}

/** The file beside the adhan's that is meant for Fajr: `name.fajr.ext`. */
export function fajrPath(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") + 1 ? `${path.slice(0, dot)}.fajr${path.slice(dot)}` : `${path}.fajr`;
}
