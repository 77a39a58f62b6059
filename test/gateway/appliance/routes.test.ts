import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applianceApi, applianceRoutes } from "../../../gateway/appliance/table.ts";
import { docsFolder, docsPages } from "../../../gateway/docs-table.ts";
import { walkRoutes } from "../walk-routes.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";

let appliance: TestAppliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.stop());

describe("every route of the appliance", () => {
  walkRoutes({
    base: applianceApi.base,
    routes: applianceRoutes,
    origin: () => appliance.url,
    credentials: () => ({ authorization: `Bearer ${appliance.token.value}` }),
    needsCredentials: ({ policy }) => policy.auth === "token",
    errorField: "error",
    maxBytes: 16 * 1024,
  });
});

test("whatever changes something asks for the token", () => {
  const open = applianceRoutes.filter(({ method, policy }) => method !== "get" && policy.auth !== "token");
  expect(open.map(({ path }) => path)).toEqual([]);
});

test("the OpenAPI document has every row, with its errors and its security", async () => {
  const reply = await fetch(`${appliance.url}/api/openapi.json`);
  const document = (await reply.json()) as {
    openapi: string;
    paths: Record<string, Record<string, { security: object[]; responses: object }>>;
  };
  expect(document.openapi).toBe("3.1.0");
  for (const { method, path, policy } of applianceRoutes) {
    const operation = document.paths[`/api${path.replace(/:(\w+)/g, "{$1}")}`]?.[method];
    expect(operation?.security).toEqual(policy.auth === "token" ? [{ token: [] }] : []);
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(["200", "429", "500"]));
  }
});

test("the tables in docs/api are those of the code (npm run docs writes them)", async () => {
  for (const [name, text] of docsPages()) {
    expect(await readFile(join(docsFolder, name), "utf8")).toBe(text);
  }
});
