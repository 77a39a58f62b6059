/** Several listeners, plain and TLS, in front of one handler. */

import type { IncomingMessage, RequestListener, Server } from "node:http";
import { createServer as createHttps, type Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ErrorShape } from "./errors.ts";

// Not imported: that would run every getter of the module, and one of them loads undici, 15 MB that nobody needs.
const { createServer: createHttp } = process.getBuiltinModule("node:http");

export interface Listener {
  tls: boolean;
  host: string;
  port: number;
}

export interface Identity {
  key: string;
  cert: string;
}

export interface Timeouts {
  /** From connecting, or from the end of the last request, to the last header. */
  headersMs: number;
  keepAliveMs: number;
  /** The longest silence on a connection that is in the middle of something. */
  idleMs: number;
}

export interface ListenOptions {
  listeners: readonly Listener[];
  handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  errors: ErrorShape;
  /** Needed where a listener is TLS. */
  identity?: Identity;
  timeouts?: Partial<Timeouts>;
  maxConnections?: number;
}

const usual: Timeouts = { headersMs: 10_000, keepAliveMs: 65_000, idleMs: 120_000 };

/** Opens every listener, or none. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const opened: Server[] = [];
  try {
    for (const listener of options.listeners) {
      const server = serverFor(listener, options);
      await bind(server, listener);
      opened.push(server);
    }
  } catch (error) {
    for (const server of opened) server.close();
    throw error;
  }
  return new Listening(options.listeners, opened);
}

/** The open listeners of one service. */
export class Listening {
  /** Base addresses as a client would write them, in the order of the configuration. */
  readonly urls: readonly string[];
  readonly #servers: readonly Server[];
  /** Upgraded connections too, which the servers themselves no longer know. */
  readonly #sockets = new Set<Socket>();

  constructor(listeners: readonly Listener[], servers: readonly Server[]) {
    this.#servers = servers;
    this.urls = servers.map((server, i) => urlOf(listeners[i]!, server.address() as AddressInfo));
    for (const server of servers) {
      server.on("connection", (socket: Socket) => {
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
      });
    }
  }

  /** New connections get this certificate. */
  renew(identity: Identity): void {
    for (const server of this.#servers)
      if ("setSecureContext" in server) (server as SecureServer).setSecureContext(identity);
  }

  /** Stops listening at once; resolves when the last connection ended. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
  }

  /** Cuts what is still open. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function serverFor({ tls }: Listener, options: ListenOptions): Server {
  const timeouts = { ...usual, ...options.timeouts };
  const settings = {
    headersTimeout: timeouts.headersMs,
    // Bodies have bounds of their own: an image may take minutes, a JSON body may not.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headersMs),
    keepAliveTimeout: timeouts.keepAliveMs,
    maxHeaderSize: 16 * 1024,
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === "websocket",
  };
  if (tls && !options.identity) throw new Error("a TLS listener needs a certificate");
  const server = tls ? createHttps({ ...settings, ...options.identity }) : createHttp(settings);
  server.maxConnections = options.maxConnections ?? 4_096;
  server.setTimeout(timeouts.idleMs);
  server.on("request", options.handler);
  server.on("checkExpectation", options.handler);
  server.on("upgrade", (request, socket, head) => {
    // Nobody listens for errors between the upgrade and its acceptance.
    socket.on("error", () => {});
    options.upgrade(request, socket, head);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else refuseSocket(socket, 400, options.errors.body(sentenceFor(error.code)));
  });
  return server;
}

/** Answers on a bare socket, where there is no response object, and ends it. */
export function refuseSocket(socket: Duplex, status: number, body: object): void {
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    () => socket.destroy(),
  );
}

function sentenceFor(code: string | undefined): string {
  if (code === "HPE_HEADER_OVERFLOW") return "the headers are too large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "the request did not arrive in time";
  return "this is not a valid HTTP request";
}

function bind(server: Server, { host, port }: Listener): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function urlOf({ tls, host }: Listener, { port }: AddressInfo): string {
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tls ? "https" : "http"}://${shown}:${port}`;
}
