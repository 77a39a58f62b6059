/** A service on the air: its listeners, its stream, and how all of it ends. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { DomainError } from "../machines/errors.ts";
import { type Identity, type Listener, listen, refuseSocket, type Timeouts } from "./listen.ts";
import type { Service } from "./service.ts";
import type { StateStream } from "./state-stream.ts";

/** Takes over an upgraded connection, or throws why not. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>;

export interface GatewayOptions {
  // biome-ignore lint/suspicious/noExplicitAny: a gateway serves whatever its service is typed over
  service: Service<any, any, any>;
  stream: StateStream;
  listeners: readonly Listener[];
  /** WebSocket addresses by their path. */
  upgrades: ReadonlyMap<string, Upgrade>;
  /** Asked at the start and every hour, so that a renewed certificate is taken up. */
  identity?(): Promise<Identity>;
  timeouts?: Partial<Timeouts>;
}

export interface Gateway {
  urls: readonly string[];
  /** Stops listening, ends streams and long calls, lets requests finish within the budget. May be called twice. */
  close(budgetMs?: number): Promise<void>;
}

const hour = 3_600_000;

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { service, stream } = options;
  const { errors, log } = service.spec;
  const identity = options.listeners.some(({ tls }) => tls) ? await options.identity?.() : undefined;
  const handle = service.app.callback();
  const upgraded = new Set<Duplex>();
  const listening = await listen({
    listeners: options.listeners,
    handler: (request, response) => void handle(request, response),
    upgrade: (request, socket, head) => {
      upgraded.add(socket);
      socket.once("close", () => upgraded.delete(socket));
      void upgrade(options, request, socket, head);
    },
    errors,
    ...(identity && { identity }),
    ...(options.timeouts && { timeouts: options.timeouts }),
  });
  stream.open();
  let current = identity?.cert;
  const renew = async () => {
    const next = identity && (await options.identity?.());
    if (next && next.cert !== current) listening.renew(next);
    current = next?.cert;
  };
  const renewal = setInterval(() => {
    renew().catch((error) => log.warn({ err: error }, "the certificate could not be renewed"));
  }, hour).unref();
  let closing: Promise<void> | undefined;
  const close = async (budgetMs: number) => {
    clearInterval(renewal);
    service.drain();
    stream.close();
    // After the stream's farewell; a guest such as an inspector has none, and would hold up the end.
    for (const socket of upgraded) socket.end();
    const stopped = listening.stop();
    const cut = setTimeout(() => {
      stream.terminate();
      listening.cut();
    }, budgetMs);
    await stopped;
    clearTimeout(cut);
  };
  return { urls: listening.urls, close: (budgetMs = 4_000) => (closing ??= close(budgetMs)) };
}

async function upgrade(
  { service, upgrades }: GatewayOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { errors, log } = service.spec;
  try {
    const path = (request.url ?? "").split("?")[0]!;
    const take = upgrades.get(path);
    if (!take) throw new DomainError("not_found", "there is no stream at this address");
    await take(request, socket, head);
  } catch (error) {
    const known = error instanceof DomainError;
    if (!known) log.error({ err: error }, "an upgrade failed");
    const status = errors.statuses[known ? error.code : "internal"];
    refuseSocket(socket, status, errors.body(known ? error.message : "something went wrong inside"));
  }
}
