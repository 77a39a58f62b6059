import { LiveState } from "../shared/live-state.ts";

export interface Playback {
  state: "playing" | "paused" | "buffering" | "stopped";
  mode: "file" | "stream" | "idle";
  position: number;
  position_at?: string;
  duration: number;
  volume: number;
  underrun_count: number;
  track: string;
  reciter: string;
  surah_number: number;
  advance_mode: "off" | "continuous" | "repeat_one" | "hifz_repeat" | "hifz_ab";
  hasResumeState: boolean;
  adhan?: boolean;
  hifz?: {
    repeat_done: number;
    repeat_target: number;
    pause_s: number;
    waiting: boolean;
    ab_start?: number;
    ab_end?: number;
  };
}

export interface Reciter {
  name: string;
  path: string;
  surah_count: number;
  total_size: number;
}

export interface Favorite {
  id: string;
  type: "surah" | "stream";
  reciter?: string;
  surah?: number;
  url?: string;
  name: string;
  play_count: number;
}

export interface Station {
  id: string;
  name: string;
  url: string;
}

export interface PrayerConfig {
  lat: number | null;
  lng: number | null;
  method: number;
  asr_hanafi: boolean;
  offsets_min: number[];
  adhan: { enabled: boolean; prayer_mask: number; volume: number; path: string };
}

export interface Prayer {
  date: string;
  hijri: { year: number; month: number; day: number; month_name: string; month_name_ar: string };
  times: Record<string, string> | null;
  next: { name: string; time: string; in_seconds: number } | null;
  config: PrayerConfig;
  method_name: string;
  qibla: number | null;
  configured: boolean;
  estimated: boolean;
}

export interface Schedule {
  id: string;
  hour: number;
  minute: number;
  days: number;
  target: { type: string; [field: string]: unknown };
  volume: number | null;
  enabled: boolean;
  next_run: string | null;
}

export interface SettingsView {
  time: string;
  time_synced: boolean;
  time_source: string;
  time_format_24h: boolean;
  timezone: string;
  brightness: number;
  auto_resume: boolean;
  auto_off_minutes: number;
  auto_off_remaining?: number | null;
  card_removal: "continue" | "pause" | "stop";
  ssid: string;
}

export interface Ota {
  in_progress: boolean;
  progress: number;
  mode: string;
  status: string;
  error: string | null;
}

export interface SystemView {
  version: string;
  uptime: number;
  free_heap: number;
  nvs: { used: number; free: number; total: number };
  boot_failures: { component: string; error: string }[];
}

export interface ApplianceState {
  playback: Playback;
  library: { reciters: Reciter[]; ignored?: number; present?: boolean };
  favorites: { favorites: Favorite[] };
  stations: { stations: Station[] };
  cards: { count: number };
  nfc: { uid: string; uid_len: number; registered: boolean; name?: string | null };
  prayer: Prayer;
  schedules: { schedules: Schedule[] };
  settings: SettingsView;
  ota: Ota;
  battery: { present: boolean; voltage: number; percentage: number; charging: boolean };
  system: SystemView;
}

/** The whole public state of the device: `hello` brings it, every later event replaces its part. */
export const live = new LiveState<ApplianceState>("/ws", (state, { event, data }) =>
  event === "hello" ? (data as Partial<ApplianceState>) : { ...state, [event]: data },
);
