/** Fetches an image: https only, every hop checked and pinned, bounded in size and time. */
import { DomainError } from "../../machines/errors.ts";
import type { GuardPolicy } from "../stream-guard/address-rules.ts";
import { checkStreamUrl } from "../stream-guard/check-url.ts";
import { openGuarded } from "../stream-guard/guarded-request.ts";
import { maxImageBytes } from "./updater.ts";

export interface PullOptions {
  policy: GuardPolicy;
  /** Additional trust, for a server of one's own. */
  ca?: string | Buffer;
  /** For the whole transfer. */
  deadlineMs?: number;
  headTimeoutMs?: number;
  idleTimeoutMs?: number;
  maxBytes?: number;
}

/** Where updates may come from: public addresses, unless a server in the house was configured. */
export function pullPolicy(allowPrivate: boolean, ownPorts: () => readonly number[]): GuardPolicy {
  return { schemes: ["https:"], allowPrivate, ownPorts };
}

/** Throws `invalid_input` naming `url`. */
export async function checkPull(url: string, { policy }: PullOptions): Promise<void> {
  await checkStreamUrl(url, policy);
}

export async function openPull(
  url: string,
  options: PullOptions,
  signal: AbortSignal,
): Promise<{ bytes: AsyncIterable<Uint8Array>; length: number | null }> {
  const { policy, ca, deadlineMs = 900_000, headTimeoutMs = 15_000, idleTimeoutMs = 30_000 } = options;
  const maxBytes = options.maxBytes ?? maxImageBytes + 8_192;
  const overdue = AbortSignal.timeout(deadlineMs);
  const reply = await openGuarded(url, policy, {
    maxRedirects: 3,
    headTimeoutMs,
    idleTimeoutMs,
    headers: { "accept-encoding": "identity" },
    signal: AbortSignal.any([signal, overdue]),
    ...(ca === undefined ? {} : { ca }),
  });
  const length =
    reply.headers["content-length"] === undefined ? null : Number(reply.headers["content-length"]);
  const refuse = (message: string, cause?: unknown) =>
    new DomainError("invalid_input", `url ${message}`, { field: "url", cause });
  try {
    const encoding = reply.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") throw refuse("answered with an encoded body");
    if (length !== null && length > maxBytes) throw refuse("offers more than an image may have");
  } catch (error) {
    reply.destroy();
    throw error;
  }
  return { bytes: bounded(), length };

  async function* bounded(): AsyncGenerator<Uint8Array> {
    let seen = 0;
    try {
      for await (const piece of reply as AsyncIterable<Uint8Array>) {
        seen += piece.length;
        if (seen > maxBytes) throw refuse("offers more than an image may have");
        yield piece;
      }
    } catch (cause) {
      if (cause instanceof DomainError) throw cause;
      throw refuse(overdue.aborted ? "was too slow" : "broke off", cause);
    } finally {
      reply.destroy();
    }
  }
}
