import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

export type Page = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on loopback whose pages a test writes; it remembers who asked for what. */
export class Radio {
  readonly asked: { url: string; range: string | undefined; host: string | undefined }[] = [];
  readonly #pages: Record<string, Page>;
  readonly #server: Server;
  readonly #scheme: "http" | "https";

  constructor(pages: Record<string, Page>, tls?: { key: string; cert: string }) {
    this.#pages = pages;
    const serve: Page = (request, response) => this.#serve(request, response);
    this.#server = tls ? createTlsServer(tls, serve) : createServer(serve);
    this.#scheme = tls ? "https" : "http";
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string, host = "127.0.0.1"): string {
    return `${this.#scheme}://${host}:${this.port}${path}`;
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? "/";
    this.asked.push({ url, range: request.headers.range, host: request.headers.host });
    const page = this.#pages[url];
    if (page) page(request, response);
    else response.writeHead(404).end();
  }
}

/** A live stream: the same bytes for ever, somewhat faster than they play. `dropAfterMs` hangs up. */
export function live(bytes: Buffer, options: { dropAfterMs?: () => number | undefined } = {}): Page {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "audio/mpeg", "icy-name": "Test radio" });
    let offset = 0;
    const send = () => {
      response.write(bytes.subarray(offset, offset + 4_000));
      offset = (offset + 4_000) % bytes.length;
    };
    send();
    const timer = setInterval(send, 100);
    const drop = options.dropAfterMs?.();
    const hangUp = drop === undefined ? undefined : setTimeout(() => response.socket?.destroy(), drop);
    response.on("close", () => {
      clearInterval(timer);
      clearTimeout(hangUp);
    });
  };
}

/** A file with ranges, as a web server offers it. */
export function ranged(bytes: Buffer, type = "audio/mpeg"): Page {
  return (request, response) => {
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? Number.NaN);
    const from = Number.isNaN(start) ? 0 : start;
    response.writeHead(Number.isNaN(start) ? 200 : 206, {
      "content-type": type,
      "accept-ranges": "bytes",
      "content-length": bytes.length - from,
      ...(!Number.isNaN(start) && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    response.end(bytes.subarray(from));
  };
}

export function text(body: string | (() => string), type = "audio/x-mpegurl"): Page {
  return (_request, response) => {
    response.writeHead(200, { "content-type": type });
    response.end(typeof body === "string" ? body : body());
  };
}

export function redirect(to: string | (() => string)): Page {
  return (_request, response) => {
    response.writeHead(302, { location: typeof to === "string" ? to : to() });
    response.end();
  };
}
