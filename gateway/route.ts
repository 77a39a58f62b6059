import type { Readable } from "node:stream";
import { z } from "zod";

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
  /** The socket's own address; forwarding headers are ignored. */
  address: string;
  secure: boolean;
  /** A request header, by its lower-case name. */
  header(name: string): string | undefined;
}

/** A reply with another status than the row's, or with headers of its own. */
export class Reply<T> {
  readonly value: T;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(value: T, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.value = value;
    this.status = options.status;
    this.headers = options.headers ?? {};
  }
}

/** A JSON reply that was made before; measured, writing out a large one costs more than all the rest. */
export class ReadyReply<T> extends Reply<T> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, options: { status?: number; headers?: Record<string, string> } = {}) {
    super(undefined as T, options);
    this.bytes = bytes;
  }
}

/** A reply that is not the row's own, and is not checked against its schema: a dry run's. */
export class OtherReply<T> extends Reply<T> {}

/** A body that is handed on as it arrives: bounded in size, and destroyed when it stalls. */
export interface UploadBody {
  stream: Readable;
  /** From Content-Length; undefined when the client does not say. */
  length: number | undefined;
  type: string;
  encoding: string | undefined;
}

/** The `body` of a row with `bodyKind: "stream"`. */
export const Upload = z.custom<UploadBody>();

/** The `reply` of a row with `replyKind: "binary"`. */
export const Bytes = z.custom<Uint8Array>();

export interface ServerSentEvent {
  event: string;
  data: unknown;
}

/** The `reply` of a row with `replyKind: "stream"`: server-sent events; the iterator is returned when the client leaves. */
export const EventStream = z.custom<AsyncIterable<ServerSentEvent>>();

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
  /** The path is not under the service's base (`/health`). */
  absolute?: boolean;
  summary: string;
  /** The section of the API document. */
  tag: string;
  policy: Policy;
  /** A parameter that does not parse is an unknown thing: 404. */
  params?: P;
  query?: Q;
  /** Without one, only an empty body or `{}` is taken. No body at all is read as `{}`. */
  body?: B;
  /** `json` when left out; `stream` hands on `Upload`. */
  bodyKind?: "json" | "stream";
  /** Media types of a `stream` body; any when left out. */
  bodyTypes?: readonly string[];
  /** The largest body in bytes, where it is not the service's own bound. */
  maxBytes?: number;
  reply: R;
  /** `json` when left out; `binary` sends `Bytes`, `stream` sends `EventStream`. */
  replyKind?: "json" | "binary" | "stream";
  /** The media type of a `binary` reply. */
  replyType?: string;
  /** 200 when left out. */
  status?: number;
  handle(
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>, Actors, Caller>,
  ): z.input<R> | Reply<z.input<R>> | Promise<z.input<R> | Reply<z.input<R>>>;
}

/** A row whose own types were checked and then erased, so that rows fit one table. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where a row's own types are erased
export type Route<Actors, Caller, Policy> = RouteSpec<any, any, any, any, Actors, Caller, Policy>;

/** Makes a service's `route()`, which checks each handler against its own schemas. */
export function routeBuilder<Actors, Caller, Policy>() {
  return <
    P extends z.ZodType = z.ZodUndefined,
    Q extends z.ZodType = z.ZodUndefined,
    B extends z.ZodType = z.ZodUndefined,
    R extends z.ZodType = z.ZodUndefined,
  >(
    spec: RouteSpec<P, Q, B, R, Actors, Caller, Policy>,
  ): Route<Actors, Caller, Policy> => spec;
}
