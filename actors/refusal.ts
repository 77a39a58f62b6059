import { DomainError, type Refusal } from "../machines/errors.ts";

/** What the asker is told when an effect failed; a defect shows nothing of the inside, only `otherwise`. */
export function refusalFrom(error: unknown, otherwise: string): Refusal {
  if (!(error instanceof DomainError)) return { code: "internal", message: otherwise };
  const { code, message, field } = error;
  return { code, message, ...(field !== undefined && { field }) };
}
