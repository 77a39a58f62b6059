import type { CollectionSpec } from "../../drivers/store/store.ts";

/** Everything that the appliance keeps in its store. */
export const applianceCollections: readonly CollectionSpec[] = [
  { name: "settings" },
  { name: "favorites" },
  { name: "stations" },
  { name: "cards" },
  { name: "schedules" },
  { name: "resume" },
  { name: "durations" },
];
