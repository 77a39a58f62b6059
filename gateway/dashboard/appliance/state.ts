import type { Favorite } from "../../../machines/appliance/favorites.ts";
import type { ReciterView } from "../../../machines/appliance/library-listing.ts";
import type { OtaView } from "../../../machines/appliance/ota.ts";
import type { PlaybackView } from "../../../machines/appliance/playback-view.ts";
import type { BatteryReading } from "../../../machines/appliance/power-source.ts";
import type { PrayerReport } from "../../../machines/appliance/prayer-view.ts";
import type { ScheduleView } from "../../../machines/appliance/scheduler.ts";
import type { Settings } from "../../../machines/appliance/settings.ts";
import type { SystemView } from "../../../machines/appliance/system.ts";
import { LiveState } from "../shared/live-state.ts";

export interface SettingsShown extends Settings {
  time: string;
  time_synced: boolean;
  time_source: string;
  auto_off_remaining?: number | null;
}

/** What the stream says; each part is what its GET shows. */
export interface ApplianceState {
  playback: PlaybackView;
  library: { reciters: ReciterView[]; ignored: number; present: boolean };
  favorites: { favorites: Favorite[] };
  stations: { stations: { id: string; name: string; url: string }[] };
  cards: { count: number };
  nfc: { uid: string; uid_len: number; registered: boolean; name: string | null };
  prayer: PrayerReport;
  schedules: { schedules: ScheduleView[] };
  settings: SettingsShown;
  ota: OtaView;
  battery: BatteryReading;
  system: SystemView & { version: string; uptime: number; free_heap: number };
}

/** The whole public state of the device: `hello` brings it, every later event replaces its part. */
export const live = new LiveState<ApplianceState>("/ws", (state, { event, data }) =>
  event === "hello" ? (data as Partial<ApplianceState>) : { ...state, [event]: data },
);
