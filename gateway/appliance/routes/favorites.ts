import { z } from "zod";
import { applianceRoute } from "../policy.ts";
import { done, doneWith, Id, IdParams, Name, StreamUrl, Success, SurahNumber, success } from "../schemas.ts";

const surahForm = { type: z.literal("surah"), reciter: Name, surah: SurahNumber };
const streamForm = { type: z.literal("stream"), url: StreamUrl, name: Name };
const kept = { id: Id, name: z.string(), play_count: z.int().min(0), created_at: z.string() };

const Draft = z.discriminatedUnion("type", [z.strictObject(surahForm), z.strictObject(streamForm)]);
const Favorite = z
  .discriminatedUnion("type", [
    z.strictObject({ ...surahForm, ...kept }),
    z.strictObject({ ...streamForm, ...kept }),
  ])
  .meta({ id: "Favorite" });

const Added = z.discriminatedUnion("type", [
  success({ ...surahForm, ...kept }),
  success({ ...streamForm, ...kept }),
]);

/** The list as its GET and the state stream show it. */
const FavoriteList = z.strictObject({ favorites: z.array(Favorite).readonly() });

export const favoriteRoutes = [
  applianceRoute({
    method: "get",
    path: "/favorites",
    summary: "All favorites with their play counts",
    tag: "Favorites",
    policy: { auth: "public", rate: "default" },
    reply: FavoriteList,
    handle: ({ actors }) => ({ favorites: actors.favorites.view() }),
  }),
  applianceRoute({
    method: "post",
    path: "/favorites",
    summary: "Add a favorite; one that exists is returned",
    tag: "Favorites",
    policy: { auth: "token", rate: "default", emits: "favorites" },
    body: Draft,
    reply: Added,
    handle: ({ body, actors }) => actors.favorites.ask({ type: "ADD", draft: body }).then(doneWith),
  }),
  applianceRoute({
    method: "post",
    path: "/favorites/toggle",
    summary: "Add a favorite, or remove it if it is one",
    tag: "Favorites",
    policy: { auth: "token", rate: "default", emits: "favorites" },
    body: Draft,
    reply: success({ added: z.boolean(), favorite: Favorite }),
    handle: ({ body, actors }) => actors.favorites.ask({ type: "TOGGLE", draft: body }).then(doneWith),
  }),
  applianceRoute({
    method: "delete",
    path: "/favorites/:id",
    summary: "Remove a favorite",
    tag: "Favorites",
    policy: { auth: "token", rate: "default", emits: "favorites" },
    params: IdParams,
    reply: Success,
    handle: ({ params, actors }) => actors.favorites.ask({ type: "REMOVE", key: params.id }).then(done),
  }),
];
