import { afterEach, describe, expect, test } from "vitest";
import { Limiter } from "../../gateway/limits.ts";
import { startAppliance, type TestAppliance } from "./appliance/appliance.ts";

const sink = { addHeader() {} };
const allowed = (limiter: Limiter, client: string) => {
  try {
    limiter.take(client, sink);
    return true;
  } catch {
    return false;
  }
};

describe("a limiter", () => {
  test("refuses beyond the budget until the window ends", () => {
    let now = 0;
    const limiter = new Limiter({ limit: 2, windowMs: 1_000 }, { now: () => now });
    const answers = () => [1, 2, 3].map(() => allowed(limiter, "a"));
    expect(answers()).toEqual([true, true, false]);
    now = 999;
    expect(allowed(limiter, "a")).toBe(false);
    now = 1_000;
    expect(answers()).toEqual([true, true, false]);
  });

  test("counts each client for itself", () => {
    const limiter = new Limiter({ limit: 1, windowMs: 1_000 }, { now: () => 0 });
    expect([allowed(limiter, "a"), allowed(limiter, "b"), allowed(limiter, "a")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("keeps a bounded number of clients; the rest share one window and the old ones stay limited", () => {
    let now = 0;
    const limiter = new Limiter({ limit: 1, windowMs: 1_000 }, { now: () => now, maxClients: 2 });
    const answers = ["a", "b", "c", "d", "a"].map((client) => allowed(limiter, client));
    expect(answers).toEqual([true, true, true, false, false]);
    expect(limiter.clients).toBe(2);
    now = 1_000;
    expect(allowed(limiter, "d")).toBe(true);
    expect(limiter.clients).toBe(1);
  });
});

describe("the appliance's limits", () => {
  let appliance: TestAppliance;
  afterEach(() => appliance.stop());

  test("the 61st call in 10 s is 429 with Retry-After in whole seconds; refused calls count; the window passes", async () => {
    let now = 0;
    appliance = await startAppliance({ limits: true, now: () => now });
    const ask = (method: string) => fetch(`${appliance.url}/api/radio/stations`, { method });
    for (let i = 0; i < 30; i++) {
      expect((await ask("GET")).status).toBe(200);
      expect((await ask("POST")).status).toBe(401);
    }
    now = 3_500;
    // The limit stands before the token: a caller without one learns nothing more.
    for (const method of ["GET", "POST"]) {
      const reply = await ask(method);
      expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "7"]);
      expect(await reply.json()).toEqual({ error: expect.any(String) });
    }
    now = 10_000;
    expect((await ask("GET")).status).toBe(200);
  });

  test("switched off, nothing is limited", async () => {
    appliance = await startAppliance({ limits: false });
    for (let i = 0; i < 70; i++) {
      expect((await fetch(`${appliance.url}/api/radio/stations`)).status).toBe(200);
    }
  });
});
