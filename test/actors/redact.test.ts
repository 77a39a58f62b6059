import { describe, expect, it } from "vitest";
import { redacted } from "../../actors/redact.ts";

describe("redaction", () => {
  it.each([
    "token",
    "access_token",
    "accessToken",
    "deviceToken",
    "password",
    "newPassword",
    "passphrase",
    "secret",
    "client_secret",
    "authorization",
    "Authorization",
    "cookie",
    "set-cookie",
    "key",
    "api_key",
    "apiKey",
    "x-api-key",
    "private_key",
    "privateKey",
    "signing_key",
    "credentials",
    "jwt",
    "psk",
    "pin",
  ])("hides what stands under %s, at any depth", (name) => {
    const hidden = { deep: [{ [name]: "[redacted]" }] };
    expect(redacted({ deep: [{ [name]: "hush" }] })).toEqual(hidden);
    expect(redacted({ deep: [new Map([[name, "hush"]])] })).toEqual(hidden);
    expect(redacted({ deep: [{ [name]: { nested: "hush" } }] })).toEqual(hidden);
  });

  it.each(["monkey", "keyboard", "spinner", "title", "status"])("leaves %s alone", (name) => {
    expect(redacted({ [name]: "seen" })).toEqual({ [name]: "seen" });
  });

  it("cuts cycles, actors, functions, bytes and long texts", () => {
    const cyclic: Record<string, unknown> = { n: 1n, bytes: new Uint8Array(3), run: () => {} };
    cyclic.self = cyclic;
    expect(redacted(cyclic)).toEqual({ n: "1", bytes: "[3 bytes]", run: undefined, self: "[…]" });
    expect(redacted({ ref: { sessionId: "x:1", send: () => {} } })).toEqual({ ref: { actor: "x:1" } });
    expect(redacted("x".repeat(10_000))).toHaveLength(4_097);
    expect(JSON.stringify(redacted(Array(100_000).fill({ a: 1 }))).length).toBeLessThan(10_000);
  });

  it("never throws, whatever a field does when it is read", () => {
    const thrower = (what: string) => {
      throw new Error(what);
    };
    const event = {
      good: 1,
      get bad() {
        return thrower("getter");
      },
      proxy: new Proxy({}, { has: () => thrower("has"), ownKeys: () => thrower("keys") }),
      error: Object.defineProperty(new Error("x"), "message", { get: () => thrower("message") }),
    };
    const unreadable = "[unreadable]";
    expect(redacted(event)).toEqual({ good: 1, bad: unreadable, proxy: unreadable, error: unreadable });
  });

  it("shows the same object twice where it is no cycle", () => {
    const shared = { a: 1 };
    expect(redacted([shared, shared])).toEqual([shared, shared]);
  });
});
