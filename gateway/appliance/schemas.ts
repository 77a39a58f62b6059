/** The values that several sections of the appliance's API share; every one is checked here before it is used. */
import { z } from "zod";

const printable = /^\P{Cc}*$/u;

/** Text of bounded length without control characters. */
export const text = (max: number, min = 1) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(printable, "must not contain control characters")
    .refine((value) => value.isWellFormed(), "must be well-formed Unicode");

/** A name that a person gave: not blank, at most 200 characters. */
export const Name = text(200).regex(/\S/, "must not be blank");

/** A path relative to the card; whether it stays there through links is for the library to say. */
export const CardPath = text(1024).refine(
  (path) => !path.split("/").includes(".."),
  "must stay inside the card",
);

function addressOf(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

const webUrl = (protocols: readonly string[], sentence: string) =>
  text(2048).superRefine((value, context) => {
    const url = addressOf(value);
    if (!url || !protocols.includes(url.protocol) || url.hostname === "" || /^\s|\s$/.test(value))
      context.addIssue({ code: "custom", message: sentence });
    else if (url.username !== "" || url.password !== "")
      context.addIssue({ code: "custom", message: "must not contain credentials" });
  });

/** Scheme, host and characters only; addresses are checked where the connection is made. */
export const StreamUrl = webUrl(["http:", "https:"], "must be an http or https address");
export const HttpsUrl = webUrl(["https:"], "must be an https address");

export const Id = text(64);
export const IdParams = z.strictObject({ id: Id });
export const Volume = z.int().min(0).max(100);
export const SurahNumber = z.int().min(1).max(114);

/** A card's UID: 4, 7 or 10 bytes in hex; separators and case are ignored. */
export const Uid = z
  .string()
  .max(40)
  .transform((value) => value.replace(/[\s:.-]/g, "").toUpperCase())
  .pipe(z.string().regex(/^(?:[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20})$/, "must be 4, 7 or 10 bytes in hex"));

/** What a schedule or a card plays. */
export const Target = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("surah"), reciter: Name, surah: SurahNumber }),
    z.strictObject({ type: z.literal("file"), path: CardPath }),
    z.strictObject({ type: z.literal("stream"), url: StreamUrl, name: Name.optional() }),
    z.strictObject({ type: z.literal("favorite"), id: Id }),
    z.strictObject({ type: z.literal("station"), id: Id }),
    z.strictObject({ type: z.literal("resume") }),
    z.strictObject({ type: z.literal("stop") }),
  ])
  .meta({ id: "Target" });
export type Target = z.output<typeof Target>;

/** The answer of a mutation: `{ success: true }` and what it adds. */
export const success = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject({ success: z.literal(true), ...shape });
export const Success = success({});

/** For the end of a handler: `ask(…).then(done)`, or `ask(…).then(doneWith)` where the reply is shown. */
export const done = () => ({ success: true as const });
export const doneWith = <T extends object>(reply: T) => ({ success: true as const, ...reply });
