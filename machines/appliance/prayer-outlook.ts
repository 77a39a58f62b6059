/** What a reading of the clock means for the adhan: one is due, one was missed, and when to look again. */
import { type PrayerConfig, type PrayerPatch, placeOf } from "./prayer-config.ts";
import { isWanted, type NextPrayer, nextPrayer } from "./prayer-next.ts";
import { secondsPerDay, type Zone } from "./timezone.ts";
import { civilAt, instantOf } from "./timezone-civil.ts";

/** One later than this is skipped. */
const latestStart = 120;

export interface PrayerContext {
  config: PrayerConfig;
  zone: Zone;
  /** Null while the time is not known. */
  now: number | null;
  /** Nothing up to here is due any more. */
  handled: number;
  /** When the last adhan was due that was called; a clock that is put back does not call it again. */
  called: number | null;
  due: NextPrayer | null;
  missed: NextPrayer | null;
  /** Who asked for a test, until it sounds. */
  tester: string | null;
  sounding: NextPrayer["name"] | "test" | null;
  changes: readonly { id: string; patch: PrayerPatch }[];
}

/** The next adhan after an instant; null when none is configured. */
export function nextAdhan(config: PrayerConfig, after: number): NextPrayer | null {
  const place = placeOf(config);
  const { enabled, prayer_mask } = config.adhan;
  if (!place || !enabled) return null;
  return nextPrayer(place, config, after, (name) => isWanted(prayer_mask, name));
}

/** Takes a reading of the clock. Of several that it reached, the last one counts. */
export function readPrayer(context: PrayerContext, now: number | null): Partial<PrayerContext> {
  if (now === null) return { now, due: null, missed: null };
  // Nothing older than a day is looked for, however far the clock was put forward.
  const from = Math.max(Math.min(context.handled, now), now - secondsPerDay);
  let reached: NextPrayer | null = null;
  for (
    let next = nextAdhan(context.config, from);
    next && next.at <= now;
    next = nextAdhan(context.config, next.at)
  ) {
    if (next.at !== context.called) reached = next;
  }
  const late = reached !== null && now - reached.at > latestStart;
  return { now, handled: now, due: late ? null : reached, missed: late ? reached : null };
}

const longestWait = 3_600;

/** Milliseconds until the view or the adhan changes: the next prayer, or the next date. */
export function prayerWaitMs({ config, zone, now }: PrayerContext): number {
  if (now === null) return longestWait * 1000;
  const place = placeOf(config);
  const next = place ? nextPrayer(place, config, now) : null;
  const times = [now + longestWait, nextMidnight(zone, now), ...(next ? [next.at] : [])];
  return (Math.min(...times) - now) * 1000;
}

function nextMidnight(zone: Zone, now: number): number {
  const next = instantOf(zone, { day: civilAt(zone, now).day + 1, second: 0 }).epoch;
  return next > now ? next : now + longestWait;
}
