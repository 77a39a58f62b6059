import type { ErrorCode } from "../machines/errors.ts";

/** How a service shows its errors: a status for each code, and the body around the sentence. */
export interface ErrorShape {
  statuses: Readonly<Record<ErrorCode, number>>;
  body(message: string): object;
}

/** The appliance's document knows 400, 401, 404, 429 and 500 only. */
export const applianceErrors: ErrorShape = {
  statuses: {
    invalid_input: 400,
    unauthorized: 401,
    forbidden: 401,
    mode_blocked: 401,
    not_found: 404,
    conflict: 400,
    rate_limited: 429,
    overloaded: 429,
    unavailable: 500,
    timeout: 500,
    internal: 500,
  } satisfies Record<ErrorCode, number>,
  body: (error) => ({ error }),
};

export const platformErrors: ErrorShape = {
  statuses: {
    invalid_input: 400,
    unauthorized: 401,
    forbidden: 403,
    mode_blocked: 403,
    not_found: 404,
    conflict: 409,
    rate_limited: 429,
    overloaded: 429,
    unavailable: 503,
    timeout: 503,
    internal: 500,
  } satisfies Record<ErrorCode, number>,
  body: (detail) => ({ detail }),
};
