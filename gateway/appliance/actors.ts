import type { Favorites } from "../../actors/appliance/favorites.ts";
import type { Library } from "../../actors/appliance/library.ts";
import type { Stations } from "../../actors/appliance/stations.ts";
import type { Tree } from "../../actors/client.ts";

/** The actors that answer the appliance's routes; each section adds its line here and below. */
export interface ApplianceActors {
  favorites: Favorites;
  library: Library;
  stations: Stations;
}

/** Clients by name; they survive restarts, so they are made once. */
export function applianceActors(tree: Tree): ApplianceActors {
  return {
    favorites: tree.client("appliance/favorites"),
    library: tree.client("appliance/library"),
    stations: tree.client("appliance/stations"),
  };
}
