import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NoStore } from "../../../drivers/store/no-store.ts";
import { pathOf } from "../../../gateway/route-lookup.ts";
import { type SocRoute, socApi, socRoutes } from "../../../gateway/soc/table.ts";
import { modes, outcomeOf } from "../../../machines/soc/modes.ts";
import { permissions, permissionsOf, type Role, roles } from "../../../machines/soc/roles.ts";
import { walkRoutes } from "../walk-routes.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

const nameOf = (route: SocRoute) => `${route.method.toUpperCase()} ${pathOf(socApi.base, route)}`;
const isOpen = ({ policy }: SocRoute) => policy.permission === "public";

function may(role: Role, { policy: { permission } }: SocRoute): boolean {
  if (permission === "public" || permission === "authenticated") return true;
  if (permission === "admin") return role === "admin";
  return [permission].flat().every((name) => permissionsOf(role).has(name as never));
}

/** Asks with an id that is nobody's and a body that is none: whoever is let in is told so, and nothing happens. */
async function ask(platform: RunningPlatform, route: SocRoute, headers: Record<string, string>) {
  const path = pathOf(socApi.base, route).replace(/:\w+/g, "walked");
  const method = route.method.toUpperCase();
  const body = method === "GET" ? {} : { body: JSON.stringify({ no_such_field: 1 }) };
  const reply = await fetch(`${platform.url}${path}`, {
    method,
    headers: { ...headers, ...(method !== "GET" && { "content-type": "application/json" }) },
    ...body,
  });
  return { status: reply.status, detail: ((await reply.json()) as { detail?: string }).detail ?? "" };
}

describe("every role on every route", () => {
  let platform: RunningPlatform;
  const tokens = new Map<Role, string>();
  let key = "";
  beforeAll(async () => {
    platform = await startPlatform();
    for (const role of roles) tokens.set(role, await platform.userOf(role, `the-${role}`));
    key = await platform.keyWith([...permissions], "everything");
  });
  afterAll(() => platform.stop());

  for (const route of socRoutes) {
    test(nameOf(route), async () => {
      for (const role of roles) {
        const { status } = await ask(platform, route, { authorization: `Bearer ${tokens.get(role)}` });
        const refused = status === 403 ? "403" : status === 401 ? "401" : "let in";
        expect({ role, refused }).toEqual({ role, refused: may(role, route) ? "let in" : "403" });
      }
      const withKey = await ask(platform, route, { "x-api-key": key });
      const keyed = isOpen(route) || (route.policy.keys !== false && route.policy.permission !== "admin");
      expect({ key: withKey.status === 403 ? "403" : "let in" }).toEqual({ key: keyed ? "let in" : "403" });
      const nobody = await ask(platform, route, {});
      expect(nobody.status === 401).toBe(!isOpen(route));
    });
  }

  test("only users, keys, approvals and what belongs to a person are closed to keys", () => {
    const closed = socRoutes.filter(({ policy }) => policy.keys === false).map(({ path }) => path);
    for (const path of closed) expect(path).toMatch(/^\/(auth|users|api-keys|approvals)\b/);
    const people = socRoutes.filter(({ path }) => /^\/(users|api-keys|approvals)\b/.test(path));
    for (const { path, policy } of people) expect({ path, keys: policy.keys }).toEqual({ path, keys: false });
  });

  test("whatever changes something is marked as such", () => {
    // A rule of the showcase is switched in memory, where its own handler says in which mode.
    const reads = ["/auth/token", "/auth/logout", "/users/me/password", "/soar/rules/:rule_id/toggle"];
    const unmarked = socRoutes.filter(
      ({ method, path, policy }) => method !== "get" && policy.effect === "read" && !reads.includes(path),
    );
    expect(unmarked.map(({ path }) => path)).toEqual([]);
    const marked = socRoutes.filter(({ method, policy }) => method === "get" && policy.effect !== "read");
    expect(marked.map(({ path }) => path)).toEqual([]);
  });
});

describe.each(modes)("every route in %s mode", (mode) => {
  let platform: RunningPlatform;
  let token = "";
  beforeAll(async () => {
    platform = await startPlatform({ mode });
    token = await platform.userOf("admin", "boss");
  });
  afterAll(() => platform.stop());

  for (const route of socRoutes) {
    const outcome = outcomeOf(route.policy.effect, mode);
    test(`${nameOf(route)} is ${outcome}`, async () => {
      const { status, detail } = await ask(platform, route, { authorization: `Bearer ${token}` });
      if (outcome === "blocked") {
        expect({ status, detail }).toEqual({ status: 403, detail: expect.stringContaining(mode) as unknown });
      } else expect([200, 400, 404, 409, 503]).toContain(status);
    });
  }
});

describe("every route of the platform", () => {
  let platform: RunningPlatform;
  let token = "";
  beforeAll(async () => {
    platform = await startPlatform();
    token = await platform.login();
  });
  afterAll(() => platform.stop());
  walkRoutes({
    base: socApi.base,
    routes: socRoutes,
    origin: () => platform.url,
    credentials: () => ({ authorization: `Bearer ${token}` }),
    needsCredentials: (route) => !isOpen(route),
    errorField: "detail",
    maxBytes: 1024 * 1024,
  });
});

describe("every read that names no object", () => {
  let platform: RunningPlatform;
  let token = "";
  beforeAll(async () => {
    platform = await startPlatform({ mode: "dummy", store: new NoStore() });
    token = await platform.login();
  });
  afterAll(() => platform.stop());

  for (const route of socRoutes.filter(({ method, path }) => method === "get" && !path.includes(":"))) {
    test(`${nameOf(route)} is answered by the showcase where there is no store`, async () => {
      const { status, detail } = await ask(platform, route, { authorization: `Bearer ${token}` });
      expect({ status, detail }).toEqual({ status: 200, detail: "" });
    });
  }
});

test("the OpenAPI document has every row, with its errors and its security, and is not public", async () => {
  const platform = await startPlatform();
  const { status } = await platform.call("GET", "/openapi.json");
  expect(status).toBe(401);
  const { body } = await platform.call("GET", "/openapi.json", { token: await platform.userOf("viewer") });
  const paths = body.paths as Record<string, Record<string, { security: object[]; responses: object }>>;
  for (const route of socRoutes) {
    const path = pathOf(socApi.base, route).replace(/:(\w+)/g, "{$1}");
    const operation = paths[path]?.[route.method];
    const security = operation?.security.map((scheme) => Object.keys(scheme)[0]);
    const people = ["token", "session"];
    const expected = isOpen(route) ? [] : route.policy.keys === false ? people : [...people, "key"];
    expect({ path, security }).toEqual({ path, security: expected });
    const errors = isOpen(route) ? ["429", "503"] : ["401", "403", "429", "503"];
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(errors));
  }
  await platform.stop();
});
