/** Walks every row of a table and sends it what it must refuse; each refusal is checked before any state changes. */
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { Route } from "../../gateway/route.ts";
import { pathOf } from "../../gateway/route-lookup.ts";

// biome-ignore lint/suspicious/noExplicitAny: any service's rows are walked
type AnyRoute = Route<any, any, any>;

export interface Walk {
  base: string;
  routes: readonly AnyRoute[];
  /** Where the service listens, once it does. */
  origin(): string;
  /** Headers of a caller who may do everything. */
  credentials(): Record<string, string>;
  needsCredentials(route: AnyRoute): boolean;
  /** The one field of an error's body. */
  errorField: "error" | "detail";
  maxBytes: number;
}

/** A test that only some rows have; the others are not skipped, they have nothing to test. */
const when = (applies: boolean) => (applies ? test : () => {});

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const json = { "content-type": "application/json" };

export function walkRoutes(walk: Walk): void {
  for (const route of walk.routes) {
    const path = pathOf(walk.base, route).replace(/:\w+/g, "walked");
    const method = route.method.toUpperCase();
    const call = (init: RequestInit) => fetch(`${walk.origin()}${path}`, init);
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
      call({ method, body, headers: { ...walk.credentials(), ...headers } });
    const takesJson = method !== "GET" && route.bodyKind !== "stream";

    describe(`${method} ${path}`, () => {
      test("a method that the address does not take is 405 and says which it takes", async () => {
        const taken = walk.routes
          .filter((other) => matches(walk.base, other, path))
          .map((other) => other.method.toUpperCase());
        for (const wrong of methods.filter((name) => !taken.includes(name))) {
          const reply = await call({ method: wrong });
          await expectError(walk, reply, 405);
          expect(reply.headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining(taken));
        }
      });

      when(walk.needsCredentials(route))("nobody gets in without credentials", async () => {
        await expectError(walk, await call({ method }), 401);
        await expectError(walk, await call({ method, headers: { authorization: "Bearer wrong" } }), 401);
      });

      when(takesJson)("an unknown field is refused and named", async () => {
        const error = await expectError(walk, await send(JSON.stringify({ no_such_field: 1 })), 400);
        if (route.body?.def.type !== "union") expect(error).toContain("no_such_field");
      });

      when(takesJson)("a wrong value of any field is refused and named", async () => {
        for (const [name, schema] of fieldsOf(route.body)) {
          const wrong = wrongValues.find((value) => !schema.safeParse(value).success);
          if (wrong === undefined) continue;
          const error = await expectError(walk, await send(JSON.stringify({ [name]: wrong })), 400);
          if (route.body?.def.type !== "union") expect(error).toContain(name);
        }
      });

      when(takesJson)("a body that is not a JSON object is refused", async () => {
        for (const body of ["{", "[]", "3", "null", '{"a":1}x', '{"a":\u0001}']) {
          await expectError(walk, await send(body), 400);
        }
        const notUtf8 = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
        await expectError(walk, await send(notUtf8), 400);
      });

      when(takesJson)("another content type is refused", async () => {
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "application/json; charset=latin1",
        ]) {
          await expectError(walk, await send("{}", { "content-type": type }), 400);
        }
      });

      when(takesJson)("a body that is too large or too deep is refused", async () => {
        const maxBytes = route.maxBytes ?? walk.maxBytes;
        await expectError(walk, await send(JSON.stringify({ a: "x".repeat(maxBytes) })), 400);
        await expectError(walk, await send(`{"a":${"[".repeat(33)}${"]".repeat(33)}}`), 400);
      });
    });
  }
}

const wrongValues = [12_345_678_901, "\u0000", -1, null, { walked: true }];

/** The fields of an object, or of every form that the body may have. */
function fieldsOf(schema: unknown): Map<string, z.ZodType> {
  const { def } = (schema ?? {}) as {
    def?: { type: string; shape?: object; options?: unknown[]; in?: unknown };
  };
  if (def?.type === "object") return new Map(Object.entries(def.shape ?? {}) as [string, z.ZodType][]);
  if (def?.type === "pipe") return fieldsOf(def.in);
  if (def?.type === "union") {
    // A value must be wrong in every form that has the field; the fields of one form alone are simply wrong.
    const forms = (def.options ?? []).map(fieldsOf);
    const names = new Set(forms.flatMap((form) => [...form.keys()]));
    return new Map(
      [...names].flatMap((name) => {
        const having = forms.filter((form) => form.has(name));
        return having.length === 1 ? [[name, having[0]!.get(name)!]] : [];
      }),
    );
  }
  return new Map();
}

function matches(base: string, route: AnyRoute, path: string): boolean {
  const pattern = pathOf(base, route).replace(/:\w+/g, "[^/]+");
  return new RegExp(`^${pattern.replace(/\./g, "\\.")}$`).test(path);
}

/** The sentence of an error; its body has one field and nothing else. */
async function expectError(walk: Walk, reply: Response, status: number): Promise<string> {
  const body = (await reply.json()) as Record<string, unknown>;
  expect({ status: reply.status, body }).toEqual({ status, body: { [walk.errorField]: expect.any(String) } });
  expect(reply.headers.get("x-request-id")).toBeTruthy();
  return String(body[walk.errorField]);
}
