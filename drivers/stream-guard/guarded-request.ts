import type { IncomingMessage, RequestOptions } from "node:http";
import https from "node:https";
import { DomainError } from "../../machines/errors.ts";
import type { GuardPolicy } from "./address-rules.ts";
import { type CheckedUrl, checkStreamUrl } from "./check-url.ts";

// Not imported: that would run every getter of the module, and one of them loads undici, 15 MB that nobody needs.
const http = process.getBuiltinModule("node:http");

export interface GuardedRequestOptions {
  /** Each hop is checked like the first. */
  maxRedirects: number;
  /** For connecting and the head of each reply. */
  headTimeoutMs: number;
  /** Between two pieces of the body. */
  idleTimeoutMs: number;
  headers?: Record<string, string>;
  /** Additional trust, for https. */
  ca?: string | Buffer;
  signal?: AbortSignal;
}

/** A GET that connects only to addresses the policy allows; resolves with a 200 reply whose body is unread. */
export async function openGuarded(
  text: string,
  policy: GuardPolicy,
  options: GuardedRequestOptions,
): Promise<IncomingMessage> {
  let target = text;
  for (let hop = 0; hop <= options.maxRedirects; hop++) {
    const reply = await requestOnce(await checkStreamUrl(target, policy), options);
    const status = reply.statusCode ?? 0;
    if (status === 200) return reply;
    const location = reply.headers.location;
    reply.destroy();
    if (status < 300 || status > 399 || !location)
      throw new DomainError("invalid_input", `url answered with status ${status}`, { field: "url" });
    if (!URL.canParse(location, target))
      throw new DomainError("invalid_input", "url redirects to something that is not a URL", {
        field: "url",
      });
    target = new URL(location, target).href;
  }
  throw new DomainError("invalid_input", `url redirects more than ${options.maxRedirects} times`, {
    field: "url",
  });
}

function requestOnce(checked: CheckedUrl, options: GuardedRequestOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request: RequestOptions = {
    agent: false,
    maxHeaderSize: 16_384,
    headers: { "user-agent": "minaret", accept: "*/*", ...options.headers },
    // The pinned addresses answer every lookup, so that the name cannot change between check and connection.
    lookup: (_host, lookupOptions, done) => {
      const first = checked.addresses[0]!;
      if (lookupOptions.all) done(null, [...checked.addresses]);
      else done(null, first.address, first.family);
    },
    ...(options.ca ? { ca: options.ca } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  };
  const transport = checked.url.protocol === "https:" ? https : http;
  const outgoing = transport.get(checked.url, request, (reply) => {
    clearTimeout(late);
    reply.setTimeout(options.idleTimeoutMs, () => reply.destroy(new Error("the server went silent")));
    resolve(reply);
  });
  const late = setTimeout(() => outgoing.destroy(new Error("no answer in time")), options.headTimeoutMs);
  outgoing.on("error", (cause) => {
    clearTimeout(late);
    reject(
      new DomainError("invalid_input", `url cannot be fetched: ${cause.message}`, { field: "url", cause }),
    );
  });
  return promise;
}
