import { surahs } from "../../../machines/appliance/surahs.ts";

/** `1:02:03` or `2:03`, from milliseconds. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}

export function surahTitle(number: number): string {
  const surah = surahs[number - 1];
  return surah ? `${number}. ${surah.name} · ${surah.name_ar}` : `Surah ${number}`;
}

export const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

export function daysInWords(mask: number): string {
  if (mask === 0) return "once";
  if (mask === 127) return "every day";
  return dayNames.filter((_, day) => mask & (1 << day)).join(", ");
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0)} MB`;
}
