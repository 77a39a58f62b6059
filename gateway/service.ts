/** Builds a service from its table: one Koa middleware that takes a request through all checks to its handler. */

import type { IncomingMessage } from "node:http";
import { parse as parseQuery } from "node:querystring";
import Koa from "koa";
import { z } from "zod";
import type { Logger } from "../drivers/log/log.ts";
import { DomainError } from "../machines/errors.ts";
import { type BodyBounds, readJson } from "./body.ts";
import type { ErrorShape } from "./errors.ts";
import { sendEvents } from "./event-stream.ts";
import { Exchange, type Phase } from "./exchange.ts";
import type { Histogram, Metrics } from "./metrics.ts";
import { OtherReply, ReadyReply, Reply, type Route } from "./route.ts";
import { RouteLookup } from "./route-lookup.ts";
import { openUpload } from "./upload.ts";
import { parsed } from "./validation.ts";

/** One step before the body is looked at. It refuses by throwing, and may say who the caller is. */
export type Check<Actors, Caller, Policy> = (
  exchange: Exchange<Actors, Caller>,
  route: Route<Actors, Caller, Policy>,
) => void | Promise<void>;

export interface ServiceSpec<Actors, Caller, Policy> {
  name: string;
  base: string;
  routes: readonly Route<Actors, Caller, Policy>[];
  actors: Actors;
  /** Who a caller is before a check has said so. */
  anyone: Caller;
  /** In the order in which the service's document wants them. */
  checks: readonly Check<Actors, Caller, Policy>[];
  errors: ErrorShape;
  body: BodyBounds;
  /** Stands around every handler; a dry run answers here instead. */
  around?(exchange: Exchange<Actors, Caller>, route: Route<Actors, Caller, Policy>): unknown;
  /** After a handler succeeded and before its reply is sent. */
  settled?(exchange: Exchange<Actors, Caller>, route: Route<Actors, Caller, Policy>, reply: unknown): void;
  /** Paths that no row has; false when it has nothing either. Never asked for a path under the base. */
  pages?(exchange: Exchange<Actors, Caller>, path: string): boolean | Promise<boolean>;
  log: Logger;
  metrics?: Metrics;
  /** Parses every reply with its schema and fails on a mismatch; for tests. */
  checkReplies?: boolean;
}

const emptyBody = z.strictObject({});
const uploadIdleMs = 30_000;

export class Service<Actors, Caller, Policy> {
  readonly spec: ServiceSpec<Actors, Caller, Policy>;
  readonly app = new Koa();
  readonly #lookup: RouteLookup<Route<Actors, Caller, Policy>>;
  readonly #longCalls = new Set<() => void>();
  readonly #times: Histogram | undefined;
  readonly #phase: Phase = { draining: false };

  constructor(spec: ServiceSpec<Actors, Caller, Policy>) {
    this.spec = spec;
    this.#lookup = new RouteLookup(spec.base, spec.routes);
    this.#times = spec.metrics?.histogram(`${spec.name}_request_seconds`, "time from request to reply");
    // One middleware that writes the reply itself: a build in layers had reached 0.61 of bare Koa at 32 connections.
    this.app.use((context) => {
      context.respond = false;
      const exchange = new Exchange(context.req, context.res, spec.actors, spec.anyone, this.#phase);
      return this.#serve(exchange);
    });
  }

  /** Ends event streams and uploads, and lets every connection end with its next reply. */
  drain(): void {
    this.#phase.draining = true;
    for (const end of this.#longCalls) end();
  }

  async #serve(exchange: Exchange<Actors, Caller>): Promise<void> {
    const { log } = this.spec;
    const start = performance.now();
    try {
      await this.#answer(exchange);
    } catch (error) {
      this.#refuse(exchange, error);
    }
    const seconds = (performance.now() - start) / 1000;
    this.#times?.observe(seconds);
    const { method = "", url = "" } = exchange.request;
    const level = method === "GET" || method === "HEAD" ? "debug" : "info";
    if (!log.isLevelEnabled(level)) return;
    const path = pathOfUrl(url);
    const status = exchange.response.statusCode;
    log[level](
      { id: exchange.requestId, method, path, status, ms: Math.round(seconds * 1e4) / 10 },
      "request",
    );
  }

  async #answer(exchange: Exchange<Actors, Caller>): Promise<void> {
    const { method = "", url = "" } = exchange.request;
    const path = pathOfUrl(url);
    const found = this.#lookup.find(method, path);
    if (found === null) return this.#answerPage(exchange, path);
    if (found.route === null) return this.#wrongMethod(exchange, found.allow);
    const { route } = found;
    for (const check of this.spec.checks) {
      const waiting = check(exchange, route);
      if (waiting) await waiting;
    }
    if (route.query) exchange.query = parsed(route.query, queryOf(url), "query");
    if (route.bodyKind === "stream") this.#takeUpload(exchange, route);
    else if (method !== "GET" && method !== "HEAD")
      exchange.body = await this.#bodyOf(exchange.request, route);
    // An id that is none names an unknown object, which both documents look at after the body.
    if (route.params) exchange.params = paramsOf(route.params, found.params);
    const reply = await (this.spec.around ? this.spec.around(exchange, route) : route.handle(exchange));
    this.spec.settled?.(exchange, route, reply);
    await this.#send(exchange, route, reply);
  }

  async #bodyOf(request: IncomingMessage, route: Route<Actors, Caller, Policy>): Promise<unknown> {
    const { maxBytes = this.spec.body.maxBytes } = route;
    const value = await readJson(request, { ...this.spec.body, maxBytes });
    const body = parsed(route.body ?? emptyBody, value, "body");
    return route.body ? body : undefined;
  }

  #takeUpload(exchange: Exchange<Actors, Caller>, route: Route<Actors, Caller, Policy>): void {
    const { maxBytes = this.spec.body.maxBytes, bodyTypes: types } = route;
    const body = openUpload(exchange.request, { maxBytes, types, idleMs: uploadIdleMs });
    const end = () => body.stream.destroy(new DomainError("unavailable", "the service is stopping"));
    this.#longCalls.add(end);
    body.stream.once("close", () => this.#longCalls.delete(end));
    exchange.body = body;
  }

  async #send(
    exchange: Exchange<Actors, Caller>,
    route: Route<Actors, Caller, Policy>,
    reply: unknown,
  ): Promise<void> {
    let value = reply;
    let status = route.status ?? 200;
    if (reply instanceof Reply) {
      value = reply.value;
      status = reply.status ?? status;
      for (const [name, text] of Object.entries(reply.headers)) exchange.addHeader(name, text);
    }
    if (route.replyKind === "binary") {
      exchange.bytes(status, route.replyType ?? "application/octet-stream", value as Uint8Array);
    } else if (route.replyKind === "stream") {
      await sendEvents(exchange, value as AsyncIterable<never>, this.spec.errors, this.#longCalls);
    } else if (reply instanceof ReadyReply) {
      if (this.spec.checkReplies) route.reply.parse(JSON.parse(Buffer.from(reply.bytes).toString()));
      exchange.bytes(status, "application/json; charset=utf-8", reply.bytes);
    } else {
      if (this.spec.checkReplies && !(reply instanceof OtherReply))
        route.reply.parse(JSON.parse(JSON.stringify(value)));
      exchange.json(status, value);
    }
  }

  async #answerPage(exchange: Exchange<Actors, Caller>, path: string): Promise<void> {
    const { base, pages } = this.spec;
    const ours = path === base || path.startsWith(`${base}/`);
    if (!ours && pages && (await pages(exchange, path))) return;
    throw new DomainError("not_found", "there is nothing at this address");
  }

  #wrongMethod(exchange: Exchange<Actors, Caller>, allow: readonly string[]): void {
    exchange.addHeader("Allow", allow.join(", "));
    exchange.json(405, this.spec.errors.body(`this address takes ${allow.join(", ")}`));
  }

  #refuse(exchange: Exchange<Actors, Caller>, error: unknown): void {
    const { errors, log } = this.spec;
    const { response, requestId } = exchange;
    const known = error instanceof DomainError;
    const status = known ? errors.statuses[error.code] : 500;
    if (!known || status >= 500) log.error({ id: requestId, err: error }, "a request failed");
    if (response.headersSent || response.destroyed) response.destroy();
    else exchange.json(status, errors.body(known ? error.message : "something went wrong inside"));
  }
}

function pathOfUrl(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function queryOf(url: string): Record<string, unknown> {
  const query = url.indexOf("?");
  return query < 0 ? {} : parseQuery(url.slice(query + 1));
}

function paramsOf(schema: z.ZodType, params: unknown): unknown {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  throw new DomainError(
    "not_found",
    `there is no ${Object.values(params as object)
      .join("/")
      .slice(0, 100)}`,
  );
}
