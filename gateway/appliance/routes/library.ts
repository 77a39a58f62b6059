import { z } from "zod";
import { findReciter, surahSlots } from "../../../machines/appliance/library-listing.ts";
import { DomainError } from "../../../machines/errors.ts";
import type { ApplianceActors } from "../actors.ts";
import { applianceRoute } from "../policy.ts";
import { Name } from "../schemas.ts";

const count = z.int().min(0);

const Reciter = z
  .strictObject({ name: z.string(), path: z.string(), surah_count: count, total_size: count })
  .meta({ id: "Reciter" });

const Surah = z
  .strictObject({
    number: z.int().min(1).max(114),
    name: z.string(),
    name_ar: z.string(),
    name_en: z.string(),
    available: z.boolean(),
    path: z.string().nullable(),
    duration: count,
  })
  .meta({ id: "Surah" });

/** The list as its GET and the state stream show it; `present` says whether there is a card. */
export const ReciterList = z.strictObject({
  reciters: z.array(Reciter).readonly(),
  ignored: count,
  present: z.boolean(),
});

export function reciterList(actors: ApplianceActors): z.input<typeof ReciterList> {
  const { reciters, ignored, present } = actors.library.view();
  return { reciters, ignored, present };
}

function surahsOf(actors: ApplianceActors, name: string) {
  const reciter = findReciter(actors.library.view().listing, name);
  if (!reciter)
    throw new DomainError("not_found", `reciter ${name} is not on the card`, { field: "reciter" });
  return { reciter: reciter.name, surahs: surahSlots(reciter) };
}

export const libraryRoutes = [
  applianceRoute({
    method: "get",
    path: "/library/reciters",
    summary: "The reciters on the card",
    tag: "Library",
    policy: { auth: "public", rate: "default" },
    reply: ReciterList,
    handle: ({ actors }) => reciterList(actors),
  }),
  applianceRoute({
    method: "get",
    path: "/library/surahs",
    summary: "The 114 surahs of a reciter, and which of them are there",
    tag: "Library",
    policy: { auth: "public", rate: "default" },
    query: z.strictObject({ reciter: Name }),
    reply: z.strictObject({ reciter: z.string(), surahs: z.array(Surah).length(114) }),
    handle: ({ actors, query }) => surahsOf(actors, query.reciter),
  }),
];
