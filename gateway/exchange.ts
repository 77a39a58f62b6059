import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { hasBody } from "./body.ts";
import { requestIdOf } from "./request-id.ts";
import type { RouteInput } from "./route.ts";
import { securityHeaders } from "./security-headers.ts";

/** How long the rest of a body that nobody wants is read, so that the client sees the reply and not a reset. */
const lingerMs = 2_000;

/** Shared by all exchanges of a service: while it drains, each connection ends with its reply. */
export interface Phase {
  draining: boolean;
}

/** One request and its reply; it is also what the handler is given. */
export class Exchange<Actors, Caller> implements RouteInput<unknown, unknown, unknown, Actors, Caller> {
  params: unknown;
  query: unknown;
  body: unknown;
  actors: Actors;
  caller: Caller;
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #phase: Phase;
  #extra: string[] | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    actors: Actors,
    caller: Caller,
    phase: Phase = { draining: false },
  ) {
    this.#phase = phase;
    this.request = request;
    this.response = response;
    this.actors = actors;
    this.caller = caller;
    this.requestId = requestIdOf(request.headers["x-request-id"]);
  }

  get address(): string {
    return addressOf(this.request);
  }

  get secure(): boolean {
    return isSecure(this.request);
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** Adds a header to the reply, whatever the reply turns out to be. */
  addHeader(name: string, value: string): void {
    this.#extra ??= [];
    this.#extra.push(name, value);
  }

  /** Writes status and headers in one go. */
  begin(status: number, headers: readonly string[], kind: "api" | "page" = "api"): void {
    const fixed = this.secure ? securityHeaders[kind].secure : securityHeaders[kind].plain;
    const all = [...fixed, "X-Request-Id", this.requestId, ...headers];
    if (this.#extra) all.push(...this.#extra);
    const { draining } = this.#phase;
    if (draining) all.push("Connection", "close");
    this.response.writeHead(status, all);
    if (hasBody(this.request) && !this.request.complete) linger(this.request, draining ? 100 : lingerMs);
  }

  json(status: number, value: unknown): void {
    const text = JSON.stringify(value);
    this.begin(status, [
      "Content-Type",
      "application/json; charset=utf-8",
      "Content-Length",
      String(Buffer.byteLength(text)),
    ]);
    this.response.end(text);
  }

  bytes(status: number, type: string, value: Uint8Array): void {
    this.begin(status, ["Content-Type", type, "Content-Length", String(value.byteLength)]);
    this.response.end(value);
  }
}

/** The socket's own address, IPv4 in its usual form. */
export function addressOf({ socket }: IncomingMessage): string {
  const address = socket.remoteAddress ?? "";
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}

export function isSecure({ socket }: IncomingMessage): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true;
}

/** Asked from this machine itself, and not through a proxy on it. */
export function isLocal(request: IncomingMessage): boolean {
  const address = addressOf(request);
  const forwarded = request.headers["x-forwarded-for"] ?? request.headers.forwarded;
  return forwarded === undefined && (address === "::1" || address.startsWith("127."));
}

function linger(request: IncomingMessage, ms: number): void {
  const timer = setTimeout(() => request.socket.destroy(), ms).unref();
  request.once("close", () => clearTimeout(timer)).resume();
}
