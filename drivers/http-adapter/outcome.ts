/** What an adapter's reply, or its silence, says about the thing that was asked of it. */
import { AdapterError, type AdapterReply } from "./http-adapter.ts";

export type Outcome =
  | { kind: "answered"; reply: AdapterReply }
  /** It certainly did not happen. */
  | { kind: "refused"; error: string; status: number | null }
  /** It may have happened. */
  | { kind: "unknown"; error: string };

/** An adapter that broke down in the middle, or a gateway that did not hear from it, does not know either. */
const doubtful = new Set([408, 500, 502, 504]);

export function outcomeOf(reply: AdapterReply): Outcome {
  const { status } = reply;
  if (status >= 200 && status < 300) return { kind: "answered", reply };
  const error = `the adapter answered with status ${status}`;
  return doubtful.has(status) ? { kind: "unknown", error } : { kind: "refused", error, status };
}

export async function outcomeOfCall(call: () => Promise<AdapterReply>): Promise<Outcome> {
  try {
    return outcomeOf(await call());
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const text = `the adapter did not answer: ${error.message}`;
    return error.sent ? { kind: "unknown", error: text } : { kind: "refused", error: text, status: null };
  }
}

/** The reply's JSON, undefined when it is none. */
export function jsonOf({ text }: Pick<AdapterReply, "text">): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
