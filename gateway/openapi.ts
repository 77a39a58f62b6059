/** The OpenAPI 3.1 document of a service, made from its table. */
import type { z } from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import type { Route } from "./route.ts";
import { pathOf } from "./route-lookup.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is made of any service's rows
type AnyRoute = Route<any, any, any>;

export interface ApiDescription {
  title: string;
  version: string;
  base: string;
  /** The schema of an error's body. */
  error: z.ZodType;
  securitySchemes: Record<
    string,
    { type: "http"; scheme: string } | { type: "apiKey"; name: string; in: "header" | "cookie" }
  >;
  /** What the service's own columns say about a row. */
  describe(route: AnyRoute): {
    security: Record<string, string[]>[];
    /** Statuses beside the row's own, with what they mean. */
    errors: Readonly<Record<number, string>>;
    /** Limits and permissions in words. */
    notes: string;
  };
}

export function openApiOf(api: ApiDescription, routes: readonly AnyRoute[]): { openapi: string } {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = pathOf(api.base, route).replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operationOf(api, route) };
  }
  return createDocument({
    openapi: "3.1.0",
    info: { title: api.title, version: api.version },
    paths,
    components: { securitySchemes: api.securitySchemes },
  });
}

function operationOf(api: ApiDescription, route: AnyRoute): ZodOpenApiOperationObject {
  const { security, errors, notes } = api.describe(route);
  const responses: ZodOpenApiResponsesObject = {
    [`${route.status ?? 200}`]: { description: "Success", content: replyContent(route) },
  };
  for (const [status, description] of Object.entries(errors)) {
    responses[`${Number(status)}` as "400"] = {
      description,
      content: { "application/json": { schema: api.error } },
    };
  }
  return {
    summary: route.summary,
    description: notes,
    tags: [route.tag],
    security,
    ...((route.params || route.query) && {
      requestParams: {
        ...(route.params && { path: route.params }),
        ...(route.query && { query: route.query }),
      },
    }),
    ...(route.body && { requestBody: { content: bodyContent(route) } }),
    responses,
  };
}

const raw = { schema: { type: "string", format: "binary" } } as const;

function bodyContent({ body, bodyKind, bodyTypes }: AnyRoute) {
  if (bodyKind !== "stream") return { "application/json": { schema: body } };
  return Object.fromEntries((bodyTypes ?? ["application/octet-stream"]).map((type) => [type, raw]));
}

function replyContent({ reply, replyKind, replyType }: AnyRoute) {
  if (replyKind === "binary") return { [replyType ?? "application/octet-stream"]: raw };
  if (replyKind === "stream") return { "text/event-stream": { schema: { type: "string" } as const } };
  return { "application/json": { schema: reply } };
}
