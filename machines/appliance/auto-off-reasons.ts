/** What keeps the device awake against auto-off, in the order in which it is shown. */
export type AwakeReason = "adhan" | "playback" | "hifz_gap" | "drill" | "update" | "clients" | "due_soon";

/** What the other parts are doing; a part that cannot be asked is left out and keeps nobody awake. */
export interface Activity {
  playback?: {
    state: "playing" | "paused" | "buffering" | "stopped";
    advance_mode: string;
    adhan?: boolean;
    hifz?: { waiting: boolean };
  };
  ota?: { in_progress: boolean };
  /** Connected state-stream clients. */
  clients?: number;
  /** Until the next schedule or adhan; null when there is none. */
  dueInMs?: number | null;
}

/** Sleeping now would end before it began: the alarm is set 90 s early. */
const dueSoonMs = 120_000;

/** Which of these are the case now. */
export function awakeReasons({ playback, ota, clients, dueInMs }: Activity): AwakeReason[] {
  const active = playback?.state === "playing" || playback?.state === "buffering";
  const found: [AwakeReason, boolean][] = [
    ["adhan", active && playback?.adhan === true],
    ["playback", active],
    ["hifz_gap", active && playback?.hifz?.waiting === true],
    ["drill", active && (playback?.advance_mode.startsWith("hifz_") ?? false)],
    ["update", ota?.in_progress === true],
    ["clients", (clients ?? 0) > 0],
    ["due_soon", typeof dueInMs === "number" && dueInMs <= dueSoonMs],
  ];
  return found.filter(([, holds]) => holds).map(([reason]) => reason);
}

/** Of these reasons, the ones that even a person's own "sleep now" does not override. */
export function forbidsSleep(reasons: readonly AwakeReason[]): boolean {
  return reasons.includes("update");
}

/** Of these reasons, the ones that wake a sleeping stand-in: something has begun by itself. */
export function endsSleep(reasons: readonly AwakeReason[]): boolean {
  return reasons.some((reason) => reason === "playback" || reason === "adhan" || reason === "update");
}

/** The alarm is set this early, so that the device is up when the time comes. */
const wakeEarlyMs = 90_000;

/** How long to sleep for what is due; a real-time clock needs a few seconds to be armed. */
export function sleepFor(dueInMs: number | null): number | null {
  return dueInMs === null ? null : Math.max(5_000, dueInMs - wakeEarlyMs);
}
