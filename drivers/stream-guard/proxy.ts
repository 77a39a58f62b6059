import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { DomainError } from "../../machines/errors.ts";
import type { GuardPolicy, PinnedAddress } from "./address-rules.ts";
import { allowedAddresses } from "./check-url.ts";
import { headEnd, maxHead, type ProxyRequest, parseProxyRequest } from "./proxy-head.ts";

export interface ProxyLimits {
  connectMs: number;
  /** From a request to the whole head of its reply. */
  headMs: number;
  connections: number;
}

const defaults: ProxyLimits = { connectMs: 4_000, headMs: 8_000, connections: 64 };

/**
 * A forward proxy on loopback, the player's only way to the network. It resolves, checks and pins the
 * address of every connection, so that redirects, playlist entries and segments obey the same rules as the
 * first URL. Bytes pass as they are: old radios answer "ICY 200 OK", which no HTTP library takes.
 */
export class GuardProxy {
  readonly #policy: GuardPolicy;
  readonly #limits: ProxyLimits;
  readonly #secret = `minaret:${randomBytes(24).toString("hex")}`;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  constructor(policy: GuardPolicy, limits: Partial<ProxyLimits> = {}) {
    // The proxy is a port of the appliance, too: no connection through it leads back to it.
    this.#policy = { ...policy, ownPorts: () => [...policy.ownPorts(), this.#port] };
    this.#limits = { ...defaults, ...limits };
  }

  /** For the player alone: it holds the secret without which nothing is passed on. */
  get url(): string {
    return `http://${this.#secret}@127.0.0.1:${this.#port}`;
  }

  async open(): Promise<void> {
    const server = createServer((client) => this.#serve(client));
    server.maxConnections = this.#limits.connections;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((done) => server.close(done));
  }

  #serve(client: Socket): void {
    this.#track(client);
    let got: Buffer = Buffer.alloc(0);
    const late = setTimeout(() => client.destroy(), this.#limits.headMs);
    client.once("close", () => clearTimeout(late));
    const onData = (piece: Buffer) => {
      got = got.length === 0 ? piece : Buffer.concat([got, piece]);
      const end = headEnd(got);
      if (end < 0 && got.length <= maxHead) return;
      client.off("data", onData).pause();
      clearTimeout(late);
      const request = end < 0 || end > maxHead ? null : parseProxyRequest(got.toString("latin1", 0, end));
      if (!request) return answer(client, "400 Bad Request");
      if (!this.#knows(request.authorization))
        return answer(
          client,
          "407 Proxy Authentication Required",
          'Proxy-Authenticate: Basic realm="minaret"',
        );
      void this.#pass(client, request, got.subarray(end));
    };
    client.on("data", onData);
  }

  async #pass(client: Socket, request: ProxyRequest, rest: Buffer): Promise<void> {
    try {
      const addresses = await allowedAddresses(request.hostname, request.port, this.#policy);
      const server = await this.#connect(addresses, request.port, client);
      if (request.tunnel) this.#tunnel(client, server, rest);
      else this.#forward(client, server, request.head);
    } catch (error) {
      answer(client, error instanceof DomainError ? "403 Forbidden" : "502 Bad Gateway");
    }
  }

  async #connect(addresses: readonly PinnedAddress[], port: number, client: Socket): Promise<Socket> {
    let last: unknown = new Error("no address");
    for (const { address } of addresses.slice(0, 3)) {
      const server = this.#track(connect({ host: address, port, noDelay: true }));
      client.once("close", () => server.destroy());
      const late = setTimeout(() => server.destroy(new Error("no answer")), this.#limits.connectMs);
      try {
        await once(server, "connect");
        return server;
      } catch (error) {
        last = error;
      } finally {
        clearTimeout(late);
      }
    }
    throw last;
  }

  #tunnel(client: Socket, server: Socket, rest: Buffer): void {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (rest.length > 0) server.write(rest);
    client.pipe(server);
    server.pipe(client);
    server.once("close", () => client.destroy());
  }

  #forward(client: Socket, server: Socket, head: string): void {
    // Only GET and HEAD: whatever follows on this connection is a second request, and unchecked.
    client.once("data", () => client.destroy()).resume();
    server.write(head, "latin1");
    let got: Buffer = Buffer.alloc(0);
    const late = setTimeout(() => answer(client, "504 Gateway Timeout"), this.#limits.headMs);
    const onData = (piece: Buffer) => {
      got = got.length === 0 ? piece : Buffer.concat([got, piece]);
      const end = headEnd(got);
      if (end < 0 && got.length <= maxHead) return;
      server.off("data", onData).pause();
      clearTimeout(late);
      if (end < 0 || end > maxHead) return answer(client, "502 Bad Gateway");
      client.write(got);
      server.pipe(client);
    };
    server.on("data", onData);
    server.once("close", () => {
      clearTimeout(late);
      if (!client.writableEnded) client.destroy();
    });
  }

  #knows(authorization: string | null): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(this.#secret).toString("base64")}`);
    const given = Buffer.from(authorization ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  }
}

function answer(client: Socket, status: string, header = "Cache-Control: no-store"): void {
  client.resume().end(`HTTP/1.1 ${status}\r\n${header}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
