import { resolveOnCard } from "../../drivers/library/card-path.ts";
import { findReciter } from "../../machines/appliance/library-listing.ts";
import type { Target } from "../../machines/appliance/target.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Tree } from "../client.ts";
import type { Favorites } from "./favorites.ts";
import type { Library } from "./library.ts";
import type { Stations } from "./stations.ts";

export interface TargetChecks {
  /** The card's mount. */
  card: string;
  /** The stream checks, DNS included; throws naming `url`. */
  checkUrl(url: string): Promise<string>;
}

/** Refuses a target that names nothing: what a person plans is wrong now, not at the time it was planned for. */
export async function admitTarget(
  tree: Tree,
  target: Target,
  { card, checkUrl }: TargetChecks,
): Promise<void> {
  if (target.type === "stream") await checkUrl(target.url);
  if (target.type === "file") await resolveOnCard(card, target.path);
  if (target.type === "surah") {
    const library: Library = tree.client("appliance/library");
    const reciter = findReciter(library.view().listing, target.reciter);
    if (!reciter) throw missing("reciter", target.reciter);
    if (!reciter.tracks.some(({ number }) => number === target.surah))
      throw missing("surah", String(target.surah));
  }
  if (target.type === "favorite") {
    const favorites: Favorites = tree.client("appliance/favorites");
    if (!favorites.view().some(({ id }) => id === target.id)) throw missing("favorite", target.id);
  }
  if (target.type === "station") {
    const stations: Stations = tree.client("appliance/stations");
    if (!stations.view().some(({ id }) => id === target.id)) throw missing("station", target.id);
  }
}

function missing(what: string, name: string): DomainError {
  return new DomainError("not_found", `target: there is no ${what} ${name}`, { field: "target" });
}
