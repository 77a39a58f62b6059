/** The codes that actors and drivers refuse with; each gateway has one table from code to status. */
export type ErrorCode =
  | "invalid_input"
  | "unauthorized"
  | "forbidden"
  | "mode_blocked"
  | "not_found"
  | "conflict"
  | "rate_limited"
  | "overloaded"
  | "unavailable"
  | "timeout"
  | "internal";

/** Why a command is not taken now. `field` names the offending field of the request, where there is one. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  field?: string;
}

/** An error that a person may read; anything else that is thrown is a defect and is shown as `internal`. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { field?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "DomainError";
    this.code = code;
    this.field = options.field;
  }

  static from({ code, message, field }: Refusal): DomainError {
    return new DomainError(code, message, { field });
  }
}
