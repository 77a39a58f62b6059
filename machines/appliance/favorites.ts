import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import { sameName } from "./library-names.ts";

/** What a favorite points to. */
export type FavoriteDraft =
  | { type: "surah"; reciter: string; surah: number }
  | { type: "stream"; url: string; name: string };

/** A surah or a stream that somebody wants at hand, and how often it was played. */
export type Favorite = FavoriteDraft & { id: string; name: string; play_count: number; created_at: string };

export type FavoritesCommand =
  | { type: "ADD"; id: string; draft: FavoriteDraft }
  | { type: "REMOVE"; id: string; key: string }
  | { type: "TOGGLE"; id: string; draft: FavoriteDraft }
  /** It was heard for 30 s or half its length; nothing happens when it is nobody's favorite. */
  | { type: "COUNT_PLAY"; played: Played };

export type Played = { type: "surah"; reciter: string; surah: number } | { type: "stream"; url: string };

export type FavoritesReplies = {
  ADD: Favorite;
  REMOVE: Favorite;
  TOGGLE: { added: boolean; favorite: Favorite };
};

type Change = Exclude<FavoritesCommand, { type: "COUNT_PLAY" }>;

export type FavoritesEvent =
  | FavoritesCommand
  | { type: "STORED"; favorite: Favorite }
  | { type: "REMOVED"; favorite: Favorite }
  | { type: "WRITE_FAILED"; refusal: Refusal };

export interface FavoritesContext {
  favorites: readonly Favorite[];
  limit: number;
  /** Changes in the order they came; the first one is being decided or written. */
  changes: readonly Change[];
}

type Emitted =
  | { type: "settled"; id: string; reply: Favorite | { added: boolean; favorite: Favorite } }
  | { type: "failed"; id: string; refusal: Refusal };

/** One change at a time, so that two toggles at once are an addition and a removal. */
export const favoritesMachine = setup({
  types: {
    context: {} as FavoritesContext,
    input: {} as { favorites: readonly Favorite[]; limit: number },
    events: {} as FavoritesEvent,
    emitted: {} as Emitted,
  },
  guards: {
    hasMore: ({ context }) => context.changes.length > 0,
    isThereAlready: ({ context }) => first(context).type === "ADD" && meant(context) !== null,
    isUnknown: ({ context }) => first(context).type === "REMOVE" && meant(context) === null,
    removes: ({ context }) => meant(context) !== null,
    isFull: ({ context }) => context.favorites.length >= context.limit,
  },
  actions: {
    store: (_, _params: { draft: FavoriteDraft }) => {}, // effect: answers with STORED or WRITE_FAILED
    remove: (_, _params: { favorite: Favorite }) => {}, // effect: answers with REMOVED or WRITE_FAILED
    saveCounts: (_, _params: { favorites: readonly Favorite[] }) => {}, // effect, some time soon
    enqueue: assign({
      changes: ({ context, event }) =>
        event.type === "ADD" || event.type === "REMOVE" || event.type === "TOGGLE"
          ? [...context.changes, event]
          : context.changes,
    }),
    dequeue: assign({ changes: ({ context }) => context.changes.slice(1) }),
    add: assign({
      favorites: ({ context }, { favorite }: { favorite: Favorite }) => [...context.favorites, favorite],
    }),
    drop: assign({
      favorites: ({ context }, { favorite }: { favorite: Favorite }) =>
        context.favorites.filter(({ id }) => id !== favorite.id),
    }),
    countPlay: assign({
      favorites: ({ context }, { played }: { played: Played }) =>
        context.favorites.map((favorite) =>
          isSame(favorite, played) ? { ...favorite, play_count: favorite.play_count + 1 } : favorite,
        ),
    }),
  },
}).createMachine({
  id: "favorites",
  context: ({ input }) => ({ ...input, changes: [] }),
  initial: "idle",
  on: {
    ADD: { actions: "enqueue" },
    REMOVE: { actions: "enqueue" },
    TOGGLE: { actions: "enqueue" },
    COUNT_PLAY: {
      actions: [
        { type: "countPlay", params: ({ event }) => ({ played: event.played }) },
        {
          type: "saveCounts",
          params: ({ context, event }) => ({
            favorites: context.favorites.filter((favorite) => isSame(favorite, event.played)),
          }),
        },
      ],
    },
  },
  states: {
    idle: { always: { guard: "hasMore", target: "deciding" } },
    deciding: {
      always: [
        {
          guard: "isThereAlready",
          target: "idle",
          actions: [emit(({ context }) => settled(context, meant(context)!)), "dequeue"],
        },
        {
          guard: "isUnknown",
          target: "idle",
          actions: [
            emit(({ context }) =>
              failed(context, { code: "not_found", message: "there is no such favorite" }),
            ),
            "dequeue",
          ],
        },
        {
          guard: "removes",
          target: "writing",
          actions: { type: "remove", params: ({ context }) => ({ favorite: meant(context)! }) },
        },
        {
          guard: "isFull",
          target: "idle",
          actions: [
            emit(({ context }) =>
              failed(context, { code: "conflict", message: `there are ${context.limit} favorites already` }),
            ),
            "dequeue",
          ],
        },
        {
          target: "writing",
          actions: { type: "store", params: ({ context }) => ({ draft: draftOf(context) }) },
        },
      ],
    },
    writing: {
      on: {
        STORED: {
          target: "idle",
          actions: [
            { type: "add", params: ({ event }) => ({ favorite: event.favorite }) },
            emit(({ context, event }) => settled(context, event.favorite, true)),
            "dequeue",
          ],
        },
        REMOVED: {
          target: "idle",
          actions: [
            { type: "drop", params: ({ event }) => ({ favorite: event.favorite }) },
            emit(({ context, event }) => settled(context, event.favorite, false)),
            "dequeue",
          ],
        },
        WRITE_FAILED: {
          target: "idle",
          actions: [emit(({ context, event }) => failed(context, event.refusal)), "dequeue"],
        },
      },
    },
  },
});

export function favoritesOf(snapshot: SnapshotFrom<typeof favoritesMachine>): readonly Favorite[] {
  return snapshot.context.favorites;
}

/** Whether a favorite stands for this surah or stream. */
function isSame(favorite: Favorite | FavoriteDraft, played: Played): boolean {
  if (favorite.type === "surah" && played.type === "surah")
    return favorite.surah === played.surah && sameName(favorite.reciter) === sameName(played.reciter);
  if (favorite.type === "stream" && played.type === "stream")
    return canonical(favorite.url) === canonical(played.url);
  return false;
}

function canonical(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function first({ changes }: FavoritesContext): Change {
  return changes[0]!;
}

function draftOf(context: FavoritesContext): FavoriteDraft {
  const change = first(context);
  if (change.type === "REMOVE") throw new Error("a removal adds nothing");
  return change.draft;
}

/** The favorite that the first change speaks of, if there is one. */
function meant(context: FavoritesContext): Favorite | null {
  const change = first(context);
  const wanted = (favorite: Favorite) =>
    change.type === "REMOVE" ? favorite.id === change.key : isSame(favorite, change.draft);
  return context.favorites.find(wanted) ?? null;
}

function settled(context: FavoritesContext, favorite: Favorite, added = true): Emitted {
  const { id, type } = first(context);
  return { type: "settled", id, reply: type === "TOGGLE" ? { added, favorite } : favorite };
}

function failed(context: FavoritesContext, refusal: Refusal): Emitted {
  return { type: "failed", id: first(context).id, refusal };
}
