import { createRequire } from "node:module";
import type { Route } from "./route.ts";

// Its ES build imports node:http, whose getters load undici; see listen.ts.
const { default: Router }: typeof import("@koa/router") = createRequire(import.meta.url)("@koa/router");

const none: Readonly<Record<string, string>> = Object.freeze({});

/** What a method and a path lead to: a row, or the methods that the path would take. */
export type Found<R> =
  | { route: R; params: Readonly<Record<string, string>> }
  | { route: null; allow: readonly string[] }
  | null;

/** The full path of a row under its service's base. */
export const pathOf = (base: string, route: { path: string; absolute?: boolean }) =>
  route.absolute ? route.path : `${base}${route.path}`;

/** Rows by method and path. Most paths have no parameters and are found by one lookup; the router matches the others. */
export class RouteLookup<R extends Route<never, never, unknown>> {
  readonly #fixed = new Map<string, Map<string, { route: R; params: typeof none }>>();
  readonly #named = new Map<string, R>();
  readonly #router = new Router({ sensitive: true, strict: true });

  constructor(base: string, routes: readonly R[]) {
    for (const route of routes) this.#add(pathOf(base, route), route);
  }

  #add(path: string, route: R): void {
    const method = route.method.toUpperCase();
    const name = `${method} ${path}`;
    if (this.#named.has(name)) throw new Error(`two rows for ${name}`);
    this.#named.set(name, route);
    if (path.includes(":")) {
      this.#router.register(path, [route.method], () => {}, { name });
      return;
    }
    const methods = this.#fixed.get(path) ?? new Map();
    methods.set(method, { route, params: none });
    if (method === "GET") methods.set("HEAD", { route, params: none });
    this.#fixed.set(path, methods);
  }

  find(method: string, path: string): Found<R> {
    const fixed = this.#fixed.get(path);
    const found = fixed?.get(method);
    if (found) return found;
    const { path: layers, pathAndMethod } = this.#router.match(path, method);
    const layer = pathAndMethod[0];
    const route = layer && this.#named.get(layer.name ?? "");
    if (route) return { route, params: layer.params(path, layer.captures(path)) };
    const allow = [...(fixed?.keys() ?? []), ...layers.flatMap((other) => other.methods)];
    return allow.length > 0 ? { route: null, allow: [...new Set(allow)] } : null;
  }
}
