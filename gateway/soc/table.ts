/** The platform's whole table, and what its columns mean to a reader. */
import { z } from "zod";
import type { ApiDescription } from "../openapi.ts";
import type { Route } from "../route.ts";
import type { SocActors } from "./actors.ts";
import { type SocCaller, type SocPolicy, socRates, socRoute } from "./policy.ts";
import { alertRoutes } from "./routes/alerts.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { caseFileRoutes } from "./routes/case-file.ts";
import { caseRoutes } from "./routes/cases.ts";
import { edrRoutes } from "./routes/edr.ts";
import { soarRoutes } from "./routes/soar.ts";
import { systemRoutes } from "./routes/system.ts";
import { userRoutes } from "./routes/users.ts";

export type SocRoute = Route<SocActors, SocCaller, SocPolicy>;

const documentRoute = socRoute({
  method: "get",
  path: "/openapi.json",
  summary: "This API as an OpenAPI document",
  tag: "System",
  policy: { permission: "authenticated", rate: "general", effect: "read" },
  reply: z.looseObject({ openapi: z.string() }),
  handle: () => documentOnce(),
});

/** Every row; a section adds its array here. */
export const socRoutes: readonly SocRoute[] = [
  ...authRoutes,
  ...userRoutes,
  ...systemRoutes,
  ...alertRoutes,
  ...caseRoutes,
  ...caseFileRoutes,
  ...approvalRoutes,
  ...soarRoutes,
  ...edrRoutes,
  ...auditRoutes,
  documentRoute,
];

export const socApi: ApiDescription = {
  title: "Minaret platform",
  version: "2.0.0",
  base: "/api/v1",
  error: z.strictObject({ detail: z.string() }).meta({ id: "Error" }),
  securitySchemes: {
    token: { type: "http", scheme: "bearer" },
    session: { type: "apiKey", name: "minaret_session", in: "cookie" },
    key: { type: "apiKey", name: "X-API-Key", in: "header" },
  },
  describe: ({ policy, params, query, method }: SocRoute) => {
    const isPublic = policy.permission === "public";
    const people: Record<string, string[]>[] = [{ token: [] }, { session: [] }];
    return {
      security: isPublic ? [] : [...people, ...(policy.keys === false ? [] : [{ key: [] }])],
      errors: {
        ...((query || method !== "get") && {
          400: "Malformed body or invalid value; the detail names the field",
        }),
        ...(!isPublic && { 401: "Missing, expired or invalid token or key" }),
        ...(!isPublic && { 403: "Insufficient permission, or the mode does not allow it" }),
        ...(params && { 404: "Unknown id" }),
        ...(method !== "get" && { 409: "Not in this state; the detail names what is possible" }),
        429: "Rate limit exceeded",
        503: "The store is not available",
      },
      notes: notesOf(policy),
    };
  },
};

function notesOf({ permission, rate, effect }: SocPolicy): string {
  const { limit, windowMs } = socRates[rate];
  const needs: Record<string, string> = {
    public: "Public.",
    authenticated: "Any caller who is logged in.",
    admin: "Role `admin`.",
  };
  const named = [permission].flat().map((name) => `\`${name}\``);
  const who = needs[String(permission)] ?? `Needs ${named.join(" and ")}.`;
  const previewed = effect === "mutation" || effect === "external";
  const modes = previewed ? " Dry run: a preview, 200 `{preview, would}`." : "";
  return `${who} Effect \`${effect}\`. ${limit} requests per ${windowMs / 1_000} s (class \`${rate}\`).${modes}`;
}

let document: Promise<{ openapi: string }> | undefined;

/** Made when it is first asked for: few ever do, and its library costs the start. */
function documentOnce(): Promise<{ openapi: string }> {
  document ??= import("../openapi.ts").then(({ openApiOf }) => openApiOf(socApi, socRoutes));
  return document;
}
