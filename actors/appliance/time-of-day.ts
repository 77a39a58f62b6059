/** What everybody who waits for a time of day listens to: the clock's jumps and the timezone. */
import type { ClockDriver } from "../../drivers/clock/clock.ts";
import { parseZone, type Zone } from "../../machines/appliance/timezone.ts";
import type { Tree } from "../client.ts";
import type { Clock } from "./clock.ts";
import type { Settings } from "./settings.ts";

/** Seconds since 1970 by the appliance's clock; null while the time is not known. */
export function secondsOf(clock: ClockDriver): number | null {
  return clock.source === "none" ? null : clock.now() / 1000;
}

export function zoneNow(tree: Tree): Zone {
  const settings: Settings = tree.client("appliance/settings");
  return parseZone(settings.view().timezone);
}

/** Hears a jump or a new source of the clock, and a new timezone; returns the way to stop. */
export function onTimeChange(
  tree: Tree,
  listener: { clockChanged(): void; zoneSet(zone: Zone): void },
): () => void {
  const clock: Clock = tree.client("appliance/clock");
  const settings: Settings = tree.client("appliance/settings");
  let heard = shown(clock, ({ source, jumps }) => `${source} ${jumps}`);
  let rule = shown(settings, ({ timezone }) => timezone);
  const endings = [
    clock.watch(({ source, jumps }) => {
      if (heard === `${source} ${jumps}`) return;
      heard = `${source} ${jumps}`;
      listener.clockChanged();
    }),
    settings.watch(({ timezone }) => {
      if (rule === timezone) return;
      rule = timezone;
      listener.zoneSet(parseZone(timezone));
    }),
  ];
  return () => {
    for (const end of endings) end();
  };
}

/** What a part shows, or undefined when it is not there. */
export function shown<V, R>(client: { view(): V }, read: (view: V) => R): R | undefined {
  try {
    return read(client.view());
  } catch {
    return undefined;
  }
}
