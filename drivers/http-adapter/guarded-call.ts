/** Calls an address that a playbook names: checked like every address that people give, and pinned. */
import { DomainError } from "../../machines/errors.ts";
import type { GuardPolicy } from "../stream-guard/address-rules.ts";
import { checkStreamUrl } from "../stream-guard/check-url.ts";
import { callAdapter } from "./http-adapter.ts";
import { type Outcome, outcomeOfCall } from "./outcome.ts";

export interface GuardedCall {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal;
}

export type CallGuarded = (call: GuardedCall) => Promise<Outcome>;

const maxBytes = 1024 * 1024;

/** A redirect is an answer like any other: following it would reach an address that nobody has checked. */
export function guardedCaller(policy: GuardPolicy): CallGuarded {
  return async ({ url: text, ...call }) => {
    try {
      const { url, addresses } = await checkStreamUrl(text, policy);
      return await outcomeOfCall(() => callAdapter({ ...call, url, addresses, maxBytes }));
    } catch (error) {
      // A header's name or value that cannot be sent is refused by Node itself.
      const foreseen = error instanceof DomainError || error instanceof TypeError;
      if (!foreseen) throw error;
      return { kind: "refused", error: error.message, status: null };
    }
  };
}
