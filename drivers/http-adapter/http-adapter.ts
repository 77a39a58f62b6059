/** One bounded HTTP call to a system beside the platform. Redirects are never followed. */
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { TLSSocket } from "node:tls";
import type { PinnedAddress } from "../stream-guard/address-rules.ts";

export interface AdapterRequest {
  method: string;
  url: URL;
  /** When given, only these are connected to, whatever the name says by then. */
  addresses?: readonly PinnedAddress[];
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** For everything, from the name's lookup to the reply's last byte. */
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface AdapterReply {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/** No reply. Whether the other side has acted is certain only when nothing was sent. */
export class AdapterError extends Error {
  readonly sent: boolean;

  constructor(message: string, sent: boolean, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "AdapterError";
    this.sent = sent;
  }
}

export function callAdapter(call: AdapterRequest): Promise<AdapterReply> {
  const { promise, resolve, reject } = Promise.withResolvers<AdapterReply>();
  let sent = false;
  // Once a reply has begun, a request that is destroyed no longer says so itself.
  const fail = (cause: Error) => reject(new AdapterError(reasonOf(cause), sent, { cause }));
  const outgoing = open(call, (reply) => {
    collect(reply, call.maxBytes).then(
      (text) => resolve({ status: reply.statusCode ?? 0, headers: oneLine(reply), text }),
      fail,
    );
  });
  const late = setTimeout(() => fail(new Error("no answer in time")), call.timeoutMs);
  const abort = () => fail(new Error("given up"));
  if (call.signal?.aborted) abort();
  call.signal?.addEventListener("abort", abort, { once: true });
  outgoing.on("socket", (socket) => {
    const secure = "encrypted" in socket && (socket as TLSSocket).encrypted;
    socket.once(secure ? "secureConnect" : "connect", () => {
      sent = true;
    });
  });
  outgoing.on("error", fail);
  outgoing.end(call.body);
  return promise.finally(() => {
    clearTimeout(late);
    call.signal?.removeEventListener("abort", abort);
    outgoing.destroy();
  });
}

function open(call: AdapterRequest, onReply: (reply: IncomingMessage) => void): ClientRequest {
  const { url, method, addresses, body } = call;
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const options: RequestOptions = {
    method,
    agent: false,
    maxHeaderSize: 16_384,
    headers: { "user-agent": "minaret", accept: "application/json", ...call.headers, ...length },
    ...(addresses ? { lookup: pinned(addresses) } : {}),
  };
  return (url.protocol === "https:" ? https : http).request(url, options, onReply);
}

function pinned(addresses: readonly PinnedAddress[]): NonNullable<RequestOptions["lookup"]> {
  return (_host, options, done) => {
    const first = addresses[0]!;
    if (options.all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

async function collect(reply: IncomingMessage, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`the reply is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function oneLine(reply: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(reply.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}

/** Several addresses tried in vain come as one error without a message of its own. */
function reasonOf(cause: Error & { code?: string; errors?: Error[] }): string {
  return cause.message || cause.errors?.[0]?.message || cause.code || "no connection";
}
