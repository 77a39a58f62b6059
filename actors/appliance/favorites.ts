import { randomUUID } from "node:crypto";
import { createActor } from "xstate";
import type { Store } from "../../drivers/store/store.ts";
import {
  type Favorite,
  type FavoriteDraft,
  type FavoritesCommand,
  type FavoritesReplies,
  favoritesMachine,
  favoritesOf,
} from "../../machines/appliance/favorites.ts";
import { findReciter } from "../../machines/appliance/library-listing.ts";
import { surahName } from "../../machines/appliance/surahs.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Client, Start, Tree } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import type { Library } from "./library.ts";
import { notStored, put, readAll } from "./record-list.ts";

export type Favorites = Client<FavoritesCommand, readonly Favorite[], FavoritesReplies>;

export interface FavoritesDeps {
  store: Store;
  /** The stream checks, DNS included; gives the URL in its canonical form or throws naming `url`. */
  checkUrl(url: string): Promise<string>;
  /** The appliance's clock, in milliseconds. */
  now(): number;
}

const collection = "favorites";
const limit = 500;
const saveAfterMs = 1_000;
const saveEveryMs = 10_000;

/** People's favorites: stored before they are shown; play counts are saved when they have settled. */
export function startFavorites({ store, checkUrl, now }: FavoritesDeps): Start {
  return async ({ inspect, tree, log }) => {
    const favorites = await readAll<Favorite>(store, collection);
    favorites.sort((a, b) => a.created_at.localeCompare(b.created_at));
    const unsaved = new Map<string, Favorite>();
    let savedAt = Number.NEGATIVE_INFINITY;
    let timer: NodeJS.Timeout | undefined;
    const save = async () => {
      timer = undefined;
      savedAt = performance.now();
      const due = [...unsaved.values()];
      unsaved.clear();
      // One that was removed meanwhile stays removed.
      const kept = new Set(favoritesOf(ref.getSnapshot()).map(({ id }) => id));
      for (const favorite of due) if (kept.has(favorite.id)) await put(store, collection, favorite);
    };
    const saveNow = () =>
      save().catch((error: unknown) => log.warn({ err: error }, "play counts could not be saved"));
    const saveSoon = () => {
      const wait = Math.max(saveAfterMs, savedAt + saveEveryMs - performance.now());
      timer ??= setTimeout(() => void saveNow(), wait);
    };
    const machine = favoritesMachine.provide({
      actions: {
        store: (_, { draft }) => {
          admit(draft, tree, checkUrl)
            .then(async (admitted) => {
              const created_at = new Date(now()).toISOString();
              const favorite: Favorite = { ...admitted, id: randomUUID(), play_count: 0, created_at };
              await put(store, collection, favorite);
              return favorite;
            })
            .then(
              (favorite) => ref.send({ type: "STORED", favorite }),
              (error: unknown) => ref.send({ type: "WRITE_FAILED", refusal: refusalFrom(error, notStored) }),
            );
        },
        remove: (_, { favorite }) => {
          store.delete(collection, favorite.id).then(
            () => ref.send({ type: "REMOVED", favorite }),
            (error: unknown) => ref.send({ type: "WRITE_FAILED", refusal: refusalFrom(error, notStored) }),
          );
        },
        saveCounts: (_, { favorites: counted }) => {
          for (const favorite of counted) unsaved.set(favorite.id, favorite);
          if (counted.length > 0) saveSoon();
        },
      },
    });
    const ref = createActor(machine, { input: { favorites, limit }, inspect }).start();
    return {
      ref,
      speech: { refusalOf: () => null, viewOf: favoritesOf, waits: ["ADD", "REMOVE", "TOGGLE"] },
      close: async () => {
        clearTimeout(timer);
        await saveNow();
      },
    };
  };
}

/** What may become a favorite: a reciter of the card, or a stream that passes the checks. */
async function admit(
  draft: FavoriteDraft,
  tree: Tree,
  checkUrl: (url: string) => Promise<string>,
): Promise<FavoriteDraft & { name: string }> {
  if (draft.type === "stream") return { ...draft, url: await checkUrl(draft.url) };
  const library: Library = tree.client("appliance/library");
  const reciter = findReciter(library.view().listing, draft.reciter);
  if (!reciter)
    throw new DomainError("not_found", `reciter ${draft.reciter} is not on the card`, { field: "reciter" });
  if (!reciter.tracks.some(({ number }) => number === draft.surah))
    throw new DomainError("not_found", `surah ${draft.surah} of ${reciter.name} is not on the card`, {
      field: "surah",
    });
  return { ...draft, reciter: reciter.name, name: surahName(draft.surah) };
}
