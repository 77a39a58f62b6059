import type { z } from "zod";

export type Method = "get" | "post" | "patch" | "put" | "delete";

/** What a handler is given: parsed input, who asks, and the actors that answer. */
export interface RouteInput<P, Q, B, Actors, Caller> {
  params: P;
  query: Q;
  body: B;
  actors: Actors;
  caller: Caller;
  /** The request's id, passed on as the `cause` of what follows. */
  requestId: string;
}

/** One row of a service's table; nothing about a route lives elsewhere. `Policy` is the service's own columns. */
export interface RouteSpec<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  Actors,
  Caller,
  Policy,
> {
  method: Method;
  /** Relative to the service's base, parameters as `:name`. */
  path: `/${string}`;
  summary: string;
  /** The section of the API document. */
  tag: string;
  policy: Policy;
  params?: P;
  query?: Q;
  body?: B;
  reply: R;
  /** 200 when left out. */
  status?: number;
  handle(
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, Actors, Caller>,
  ): z.input<R> | Promise<z.input<R>>;
}
