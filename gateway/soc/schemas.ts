/** The values that several sections of the platform's API share. */
import { z } from "zod";
import type { Asker } from "../../actors/soc/asker.ts";
import { DomainError } from "../../machines/errors.ts";
import { severities } from "../../machines/soc/alert.ts";
import type { SocCaller } from "./policy.ts";

const wellFormed = (value: string) => value.isWellFormed();

/** One line of bounded length without control characters, not blank. */
export const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, "must not contain control characters")
    .regex(/\S/, "must not be blank")
    .refine(wellFormed, "must be well-formed Unicode");

/** Text of several lines. */
export const prose = (max: number, min = 0) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[^\p{Cc}]*(?:[\n\r\t][^\p{Cc}]*)*$/u, "must not contain control characters")
    .refine(wellFormed, "must be well-formed Unicode");

/** Values of a caller's own shape. A NUL in a name cannot be stored everywhere. */
export const Json = z.json().refine(isStorable, "must be well-formed Unicode, without NUL in names");

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([name, inner]) => name.isWellFormed() && !name.includes("\0") && isStorable(inner),
  );
}

/** What can be an id here; anything else is an unknown thing. */
export const Id = z.string().regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, "must be an id");
export const Severity = z.enum(severities);
export const Timestamp = z.iso.datetime({ offset: true });
export const Username = line(64);
/** Kept in lower case. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, "must be 64 hex characters")
  .toLowerCase();

export const listQuery = {
  skip: z.coerce.number().int().min(0).max(1_000_000_000).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
  cursor: z.string().min(1).max(1024).optional(),
  sort: z.string().max(64).optional(),
};

/** A page of a list. */
export const listReply = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    items: z.array(item),
    total: z.int(),
    skip: z.int(),
    limit: z.int(),
    next_cursor: z.string().nullable(),
  });

/** Who asks, as the actors want to know it. */
export const askerOf = ({ caller, requestId }: { caller: SocCaller; requestId: string }): Asker => ({
  actor: caller.name,
  cause: requestId,
});

/** The version in `If-Match`, with or without quotes; none when the header is not sent or is `*`. */
export function versionOf(request: { header(name: string): string | undefined }): number | undefined {
  const text = request.header("if-match");
  if (text === undefined || text === "*") return undefined;
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(text)?.[1];
  if (version === undefined) throw new DomainError("invalid_input", "If-Match: must be a version");
  return Number(version);
}

/** For `refine` of a PATCH: an empty one is a mistake; a body with an unknown field is told of that instead. */
export const changesSomething = [
  (body: object) => Object.keys(body).length > 0,
  { message: "has nothing to change", when: ({ issues }: { issues: unknown[] }) => issues.length === 0 },
] as const;
