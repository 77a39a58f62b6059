import { statusNow } from "../../actors/appliance/playback.ts";
import type { Client } from "../../actors/client.ts";
import type { StreamResource } from "../state-stream.ts";
import type { ApplianceActors } from "./actors.ts";
import type { ApplianceResource } from "./policy.ts";
import { reciterList } from "./routes/library.ts";
import { prayerOf } from "./routes/prayer.ts";
import { tapOf } from "./routes/rfid.ts";
import { settingsOf } from "./routes/settings.ts";
import { systemOf } from "./routes/system.ts";

/** What the state stream shows of the appliance; each section adds its line. A view is what its GET shows. */
export function applianceResources(
  actors: ApplianceActors,
): (StreamResource & { name: ApplianceResource })[] {
  return [
    {
      name: "playback",
      view: () => statusNow(actors.playback.view()),
      watch: (changed) => actors.playback.watch(changed),
    },
    {
      name: "library",
      view: () => reciterList(actors),
      watch: (changed) => actors.library.watch(changed),
    },
    {
      name: "favorites",
      view: () => ({ favorites: actors.favorites.view() }),
      watch: (changed) => actors.favorites.watch(changed),
    },
    {
      name: "stations",
      view: () => ({ stations: actors.stations.view() }),
      watch: (changed) => actors.stations.watch(changed),
    },
    {
      name: "settings",
      view: () => settingsOf(actors),
      watch: (changed) => {
        const endings = [
          onNews(actors.settings, (view) => view, changed),
          onNews(actors.clock, (view) => view, changed),
          onNews(actors.power, ({ remaining_minutes }) => remaining_minutes, changed),
          onNews(actors.network, ({ state, joining, error }) => [state, joining, error], changed),
        ];
        return () => {
          for (const end of endings) end();
        };
      },
    },
    {
      name: "prayer",
      view: () => prayerOf(actors),
      watch: (changed) => {
        const endings = [
          onNews(actors.prayer, (view) => view, changed),
          onNews(actors.clock, (view) => view, changed),
        ];
        return () => {
          for (const end of endings) end();
        };
      },
    },
    {
      name: "schedules",
      view: () => ({ schedules: actors.scheduler.view() }),
      watch: (changed) => actors.scheduler.watch(changed),
    },
    { name: "system", view: () => systemOf(actors), watch: (changed) => actors.system.watch(changed) },
    {
      name: "cards",
      view: () => ({ count: actors.cards.view().length }),
      watch: (changed) => actors.cards.watch(changed),
    },
    { name: "nfc", view: () => tapOf(actors), watch: (changed) => onTaps(actors, changed), repeats: true },
    { name: "ota", view: () => actors.ota.view(), watch: (changed) => actors.ota.watch(changed) },
    { name: "battery", view: () => actors.battery.view(), watch: (changed) => actors.battery.watch(changed) },
  ];
}

/** Much of what a part does is not shown; the time goes on meanwhile, so that every look would seem news. */
function onNews<V>(
  { view, watch }: Pick<Client<never, V>, "view" | "watch">,
  shown: (view: V) => unknown,
  changed: () => void,
): () => void {
  const textOf = (now: V) => JSON.stringify(shown(now));
  let known = textIfThere(() => textOf(view()));
  return watch((now) => {
    const text = textOf(now);
    if (text !== known) changed();
    known = text;
  });
}

/** A part that is away shows nothing; its return is news. */
function textIfThere(text: () => string): string {
  try {
    return text();
  } catch {
    return "";
  }
}

/** A card that merely leaves or flaps is no news. */
function onTaps({ nfc }: ApplianceActors, changed: () => void): () => void {
  let known = 0;
  return nfc.watch(({ taps }) => {
    if (taps !== known) changed();
    known = taps;
  });
}
