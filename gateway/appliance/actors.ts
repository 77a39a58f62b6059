import type { Stations } from "../../actors/appliance/stations.ts";
import type { Tree } from "../../actors/client.ts";

/** The actors that answer the appliance's routes; each section adds its line here and below. */
export interface ApplianceActors {
  stations: Stations;
}

/** Clients by name; they survive restarts, so they are made once. */
export function applianceActors(tree: Tree): ApplianceActors {
  return {
    stations: tree.client("appliance/stations"),
  };
}
