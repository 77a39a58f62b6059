/** An adapter beside the platform: it counts what it is asked and what it does, and misbehaves on demand. */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Behaviour =
  | "confirm"
  /** Takes it, and the inventory shows it later. */
  | "accept"
  /** Does it, and never says so. */
  | "stall"
  /** Does it, and hangs up. */
  | "hang up"
  /** Does not do it: 503. */
  | "fail"
  /** Does not do it: 409. */
  | "refuse"
  /** Says 200 to a thing that it did not do. */
  | "deny"
  | "garbage";

export interface Call {
  method: string;
  path: string;
  key: string;
  body: string;
  authorization: string | undefined;
}

export interface AdapterEndpoint {
  id: string;
  hostname?: string;
  ip?: string;
  os?: string;
  status: string;
}

const results: Record<string, string> = { isolate: "isolated", unisolate: "online" };

export class AdapterServer {
  readonly calls: Call[] = [];
  /** How often each thing was really done, by key. */
  readonly deeds: string[] = [];
  readonly endpoints: AdapterEndpoint[] = [];
  honoursKeys = true;
  behaviour: Behaviour = "confirm";
  /** Behaviours of the next calls, before the usual one. */
  next: Behaviour[] = [];
  /** Answers the inventory instead. */
  inventory: ((response: ServerResponse) => void) | undefined;
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));
  #arrived: (() => void)[] = [];

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What was asked besides the inventory. */
  get asked(): Call[] {
    return this.calls.filter((call) => call.method !== "GET");
  }

  /** Resolves when the next call that is no inventory has been taken. */
  arrival(): Promise<void> {
    return new Promise((resolve) => this.#arrived.push(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request) body += piece;
    const { method = "", url: path = "", headers } = request;
    const key = String(headers["idempotency-key"] ?? "");
    this.calls.push({ method, path, key, body, authorization: headers.authorization });
    if (method === "GET" && path === "/endpoints") return this.#list(response);
    const how = this.next.shift() ?? this.behaviour;
    this.#act(path, key, how);
    for (const tell of this.#arrived.splice(0)) tell();
    this.#say(how, path, response);
  }

  #list(response: ServerResponse): void {
    const said = this.honoursKeys ? { idempotency_keys: true } : {};
    if (this.inventory) this.inventory(response);
    else response.end(JSON.stringify({ endpoints: this.endpoints, ...said }));
  }

  #act(path: string, key: string, how: Behaviour): void {
    if (how === "fail" || how === "refuse" || how === "deny") return;
    if (this.honoursKeys && this.deeds.includes(key)) return;
    this.deeds.push(key);
    const [, id, action] = /^\/endpoints\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    const endpoint = this.endpoints.find((each) => each.id === id);
    if (endpoint && action && results[action]) endpoint.status = results[action];
  }

  #say(how: Behaviour, path: string, response: ServerResponse): void {
    const action = path.split("/").at(-1) ?? "";
    switch (how) {
      case "confirm":
        return void response.end(JSON.stringify({ status: results[action] ?? "ok", id: 7 }));
      case "accept":
        return void response.writeHead(202).end(JSON.stringify({ status: "accepted" }));
      case "stall":
        return;
      case "hang up":
        return void response.destroy();
      case "fail":
        return void response.writeHead(503).end("{}");
      case "refuse":
        return void response.writeHead(409).end(JSON.stringify({ error: "busy" }));
      case "deny":
        return void response.end(JSON.stringify({ success: false }));
      case "garbage":
        return void response.end("<html>login</html>");
    }
  }
}
