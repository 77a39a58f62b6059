/** Which screen the device shows, and what is written on it: a calculation over what the other parts show. */
import type { HijriDate } from "./hijri.ts";
import type { OtaView } from "./ota.ts";
import type { PlaybackView } from "./playback-view.ts";
import type { PrayerReport } from "./prayer-view.ts";
import { surahs } from "./surahs.ts";

export type Screen =
  | { kind: "sleep" }
  | { kind: "update"; status: string; progress: number }
  | { kind: "adhan"; prayer: string; track: string }
  | { kind: "card"; name: string; uid: string }
  | { kind: "gap"; title: string; title_ar: string; done: number; target: number; pause_s: number }
  | {
      kind: "playing";
      title: string;
      title_ar: string;
      subtitle: string;
      state: PlaybackView["state"];
      /** Whole seconds: a drawing per second is enough. */
      position: number;
      duration: number;
      volume: number;
      drill: string;
    }
  | { kind: "prayer"; name: string; time: string; minutes: number; hijri: string }
  | { kind: "clock"; time: string; date: string; hijri: string; hijri_ar: string; next: string };

/** What the device knows at one moment; a part that does not run is null. */
export interface Facts {
  sleeping: boolean;
  playback: PlaybackView | null;
  prayer: PrayerReport | null;
  ota: OtaView | null;
  /** The card that was just registered or tapped, while it is news. */
  card: { name: string; uid: string } | null;
  /** As the clock's face shows it, by the person's own format. */
  time: string;
}

/** A prayer this near is worth more than the time of day. */
const soonMinutes = 30;

export function screenOf(facts: Facts): Screen {
  const { playback, prayer, ota, card } = facts;
  if (facts.sleeping) return { kind: "sleep" };
  if (ota?.in_progress) return { kind: "update", status: ota.status, progress: ota.progress };
  if (playback?.adhan) return { kind: "adhan", prayer: prayer?.sounding ?? "", track: playback.track };
  if (card) return { kind: "card", ...card };
  if (playback && playback.state !== "stopped")
    return playback.hifz?.waiting ? gapOf(playback) : playingOf(playback);
  const minutes = prayer?.next ? Math.ceil(prayer.next.in_seconds / 60) : null;
  if (prayer?.next && minutes !== null && minutes <= soonMinutes) {
    return {
      kind: "prayer",
      name: prayer.next.name,
      time: prayer.next.time,
      minutes,
      hijri: hijriText(prayer.hijri),
    };
  }
  return clockOf(facts);
}

function clockOf({ prayer, time }: Facts): Screen {
  const next = prayer?.next ? `${prayer.next.name} ${prayer.next.time}` : "";
  const hijri_ar = prayer?.hijri?.month_name_ar ?? "";
  return {
    kind: "clock",
    time,
    date: prayer?.date ?? "",
    hijri: hijriText(prayer?.hijri ?? null),
    hijri_ar,
    next,
  };
}

function gapOf({ surah_number, hifz }: PlaybackView): Screen {
  const { repeat_done: done = 0, repeat_target: target = 0, pause_s = 0 } = hifz ?? {};
  return { kind: "gap", ...titleOf(surah_number, ""), done, target, pause_s };
}

function playingOf(view: PlaybackView): Screen {
  const { reciter, stream, state, position, duration, volume, hifz } = view;
  return {
    kind: "playing",
    ...titleOf(view.surah_number, stream?.title || stream?.name || view.track),
    subtitle: reciter || (stream?.title ? stream.name : ""),
    state,
    position: Math.floor(position / 1000),
    duration: Math.floor(duration / 1000),
    volume,
    drill: hifz ? `${hifz.repeat_done + 1} of ${hifz.repeat_target || "∞"}` : "",
  };
}

function titleOf(number: number, otherwise: string): { title: string; title_ar: string } {
  const surah = surahs[number - 1];
  return surah
    ? { title: `${number}. ${surah.name}`, title_ar: surah.name_ar }
    : { title: otherwise, title_ar: "" };
}

function hijriText(hijri: HijriDate | null): string {
  return hijri ? `${hijri.day} ${hijri.month_name} ${hijri.year}` : "";
}
