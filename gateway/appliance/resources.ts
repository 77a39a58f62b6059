import type { StreamResource } from "../state-stream.ts";
import type { ApplianceActors } from "./actors.ts";
import type { ApplianceResource } from "./policy.ts";
import { reciterList } from "./routes/library.ts";

/** What the state stream shows of the appliance; each section adds its line. A view is what its GET shows. */
export function applianceResources(
  actors: ApplianceActors,
): (StreamResource & { name: ApplianceResource })[] {
  return [
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
    { name: "ota", view: () => actors.ota.view(), watch: (changed) => actors.ota.watch(changed) },
    { name: "battery", view: () => actors.battery.view(), watch: (changed) => actors.battery.watch(changed) },
  ];
}
