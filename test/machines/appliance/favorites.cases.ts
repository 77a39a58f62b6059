import { type Favorite, favoritesMachine } from "../../../machines/appliance/favorites.ts";
import { walkPlan } from "../../walker/walk.ts";

const created_at = "2026-01-01T00:00:00.000Z";
const surah = { type: "surah", reciter: "R", surah: 1 } as const;
const stream = { type: "stream", url: "http://radio.example/", name: "Radio" } as const;
const known: Favorite = { ...surah, id: "known", name: "Al-Fatihah", play_count: 0, created_at };
const added: Favorite = { ...stream, id: "added", play_count: 0, created_at };

export const plan = walkPlan({
  name: "favorites",
  machine: favoritesMachine,
  inputs: [
    { favorites: [known], limit: 2 },
    { favorites: [known], limit: 1 },
  ],
  cases: {
    ADD: [
      { id: "1", draft: surah },
      { id: "2", draft: stream },
    ],
    REMOVE: [
      { id: "3", key: "known" },
      { id: "4", key: "nobody" },
    ],
    TOGGLE: [
      { id: "5", draft: surah },
      { id: "6", draft: stream },
    ],
    COUNT_PLAY: [{ played: surah }],
    STORED: [{ favorite: added }],
    REMOVED: [{ favorite: known }],
    WRITE_FAILED: [{ refusal: { code: "unavailable", message: "no store" } }],
  },
  // Queues and counts have no end; a few of each show every kind of step.
  keyOf: ({ value, context }) =>
    JSON.stringify([
      value,
      context.limit,
      context.favorites.map(({ id }) => id).slice(0, 3),
      context.changes.slice(0, 2),
    ]),
  limit: 20_000,
  invariant: ({ value, context }) => {
    if (value === "idle" && context.changes.length > 0)
      throw new Error("a change waits though nothing is written");
  },
});
