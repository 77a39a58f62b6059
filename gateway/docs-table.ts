/** Writes the tables of `docs/api` from the route tables: `npm run docs`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applianceApi, applianceRoutes } from "./appliance/table.ts";
import type { ApiDescription } from "./openapi.ts";
import type { Route } from "./route.ts";
import { pathOf } from "./route-lookup.ts";
import { socApi, socRoutes } from "./soc/table.ts";

// biome-ignore lint/suspicious/noExplicitAny: a table is made of any service's rows
type AnyRoute = Route<any, any, any>;

export const docsFolder = join(import.meta.dirname, "..", "docs", "api");

/** One page per service, by file name. */
export function docsPages(): Map<string, string> {
  return new Map([
    ["appliance.md", docsPage(applianceApi, applianceRoutes)],
    ["soc.md", docsPage(socApi, socRoutes)],
  ]);
}

/** The rows of a service, one table per section, in the order of the route table. */
export function docsPage(api: ApiDescription, routes: readonly AnyRoute[]): string {
  const sections = Map.groupBy(routes, ({ tag }) => tag);
  const parts = [`# ${api.title} ${api.version}: API`, "Made by `npm run docs`; not edited by hand."];
  for (const [tag, rows] of sections) {
    const lines = rows.map((route) => rowOf(api, route));
    parts.push(`## ${tag}`, ["| | | | who | notes |", "|---|---|---|---|---|", ...lines].join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

function rowOf(api: ApiDescription, route: AnyRoute): string {
  const { security, notes } = api.describe(route);
  const schemes = security.map((scheme) => Object.keys(scheme).join(" and "));
  const who = schemes.length === 0 ? "anyone" : schemes.join(" or ");
  const path = pathOf(api.base, route).replace(/:(\w+)/g, "{$1}");
  const cells = [route.method.toUpperCase(), `\`${path}\``, route.summary, who, notes];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

if (import.meta.main) {
  await mkdir(docsFolder, { recursive: true });
  for (const [name, text] of docsPages()) await writeFile(join(docsFolder, name), text);
}
