import { createHmac, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminPassword, password, type RunningPlatform, startPlatform } from "./running-platform.ts";

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token made by hand, signed with the platform's own secret or another one. */
function forged(secret: Uint8Array | null, header: object, changes: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "minaret",
    sub: "admin",
    role: "admin",
    ver: 1,
    jti: randomUUID(),
    iat: now,
    exp: now + 3600,
  };
  const text = `${encode(header)}.${encode({ ...claims, ...changes })}`;
  const signature = secret ? createHmac("sha256", secret).update(text).digest("base64url") : "";
  return `${text}.${signature}`;
}

describe("a token", () => {
  let platform: RunningPlatform;
  let ver = 0;
  const me = (token: string) => platform.call("GET", "/users/me", { token });
  beforeAll(async () => {
    platform = await startPlatform();
    ver = (await platform.platform.actors.users.find("admin"))!.token_version;
  });
  afterAll(() => platform.stop());

  const secret = () => platform.keys.secret("access-tokens");
  const hs256 = { alg: "HS256", typ: "JWT" };
  const now = Math.floor(Date.now() / 1000);

  test("made with our own key and right in every claim is taken, so that the refusals below mean something", async () => {
    expect((await me(forged(secret(), hs256, { ver }))).status).toBe(200);
  });

  test.each<[string, () => string]>([
    ["without a signature", () => forged(null, { alg: "none" }, { ver })],
    ["that says none and is signed", () => forged(secret(), { alg: "none" }, { ver })],
    ["of another algorithm", () => forged(secret(), { alg: "HS512" }, { ver })],
    ["of another key", () => forged(new Uint8Array(32), hs256, { ver })],
    ["that has expired", () => forged(secret(), hs256, { ver, iat: now - 7200, exp: now - 3600 })],
    ["from the future", () => forged(secret(), hs256, { ver, iat: now + 3600, exp: now + 7200 })],
    ["that lasts for years", () => forged(secret(), hs256, { ver, iat: now - 7200, exp: now + 1e8 })],
    ["without an end", () => forged(secret(), hs256, { ver, exp: undefined })],
    ["of another issuer", () => forged(secret(), hs256, { ver, iss: "elsewhere" })],
    ["of a role that does not exist", () => forged(secret(), hs256, { ver, role: "root" })],
    ["of an earlier version", () => forged(secret(), hs256, { ver: ver - 1 })],
    ["of a session without a store", () => forged(secret(), hs256, { ver: -1 })],
    ["of somebody who is not there", () => forged(secret(), hs256, { ver, sub: "ghost" })],
    ["that is no token", () => "nonsense"],
  ])("%s is 401", async (_, make) => {
    const { status, body } = await me(make());
    expect({ status, body }).toEqual({ status: 401, body: { detail: expect.any(String) as unknown } });
  });

  test("in the header counts alone: a good cookie does not make up for it", async () => {
    const token = await platform.login();
    const cookie = `minaret_session=${token}`;
    const good = await platform.call("GET", "/users/me", { headers: { cookie } });
    expect(good.status).toBe(200);
    for (const authorization of ["Bearer nonsense", "Basic YWRtaW46eA==", "Bearer"]) {
      const mixed = await platform.call("GET", "/users/me", { headers: { cookie, authorization } });
      expect(mixed.status).toBe(401);
    }
    const viewer = await platform.userOf("viewer", "mixed");
    const both = await platform.call("GET", "/users/me", { headers: { cookie }, token: viewer });
    expect(both.body.username).toBe("mixed");
  });

  test("says nothing about the role that the store does not: a demotion counts at once", async () => {
    const token = await platform.userOf("manager", "demoted");
    expect((await platform.call("GET", "/audit", { token })).status).toBe(200);
    const admin = await platform.login();
    await platform.call("PATCH", "/users/demoted", { token: admin, body: { role: "viewer" } });
    expect((await platform.call("GET", "/audit", { token })).status).toBe(403);
  });

  test.each<[string, object]>([
    ["a new password from an administrator", { password: "another password" }],
    ["being shut out", { disabled: true }],
  ])("is void after %s", async (_, body) => {
    const username = `user-${randomUUID()}`;
    const token = await platform.userOf("viewer", username);
    const admin = await platform.login();
    expect((await me(token)).status).toBe(200);
    expect((await platform.call("PATCH", `/users/${username}`, { token: admin, body })).status).toBe(200);
    expect((await me(token)).status).toBe(401);
  });

  test("is void after its user was removed, and stays so when the name is given anew", async () => {
    const token = await platform.userOf("viewer", "gone");
    const admin = await platform.login();
    expect((await platform.call("DELETE", "/users/gone", { token: admin })).status).toBe(200);
    expect((await me(token)).status).toBe(401);
    await platform.userOf("viewer", "gone");
    expect((await me(token)).status).toBe(401);
  });

  test("is void after logging out, and only that one", async () => {
    const [first, second] = [await platform.login(), await platform.login()];
    const out = await platform.call("POST", "/auth/logout", { token: first });
    expect(out.status).toBe(200);
    expect(out.headers.get("set-cookie")).toMatch(/^minaret_session=;.*Max-Age=0/);
    expect((await me(first)).status).toBe(401);
    expect((await me(second)).status).toBe(200);
  });

  test("is void after one's own new password; the answer brings another one", async () => {
    const token = await platform.userOf("analyst", "changing");
    const change = (current_password: string, new_password: string) =>
      platform.call("POST", "/users/me/password", { token, body: { current_password, new_password } });
    expect((await change("not the password", "a new long password")).status).toBe(403);
    expect((await change(password, "short")).body.detail).toContain("new_password");
    const changed = await change(password, "a new long password");
    expect(changed.status).toBe(200);
    expect((await me(token)).status).toBe(401);
    expect((await me(String(changed.body.access_token))).status).toBe(200);
    await expect(platform.login("changing", password)).rejects.toThrow("401");
    expect(await platform.login("changing", "a new long password")).toBeTruthy();
  });
});

describe("the session cookie", () => {
  let platform: RunningPlatform;
  let cookie = "";
  beforeAll(async () => {
    platform = await startPlatform();
    const reply = await platform.call("POST", "/auth/token", {
      body: { username: "admin", password: adminPassword },
    });
    cookie = reply.headers.get("set-cookie")!;
  });
  afterAll(() => platform.stop());

  const alert = { title: "from a page", source: "test", severity: "low" };
  const post = (headers: Record<string, string>) =>
    platform.call("POST", "/alerts", { body: alert, headers: { cookie: cookie.split(";")[0]!, ...headers } });

  test("is out of reach of scripts and of other sites", () => {
    expect(cookie).toMatch(/^minaret_session=[^;]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/);
  });

  test("changes something only from our own page", async () => {
    expect((await post({ origin: platform.url })).status).toBe(201);
    expect((await post({ origin: "http://elsewhere.example" })).status).toBe(403);
    expect((await post({ origin: "null" })).status).toBe(403);
    expect((await post({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post({ "sec-fetch-site": "same-site" })).status).toBe(403);
  });

  test("reads from anywhere that a browser sends it", async () => {
    const reply = await platform.call("GET", "/alerts", {
      headers: { cookie: cookie.split(";")[0]!, origin: "http://elsewhere.example" },
    });
    expect(reply.status).toBe(200);
  });

  test("a foreign page cannot log its visitor in", async () => {
    const body = { username: "admin", password: adminPassword };
    const headers = { origin: "http://elsewhere.example" };
    expect((await platform.call("POST", "/auth/token", { body, headers })).status).toBe(403);
  });
});

describe("a key of another service", () => {
  let platform: RunningPlatform;
  let clock = Date.now();
  beforeAll(async () => {
    platform = await startPlatform({ clock: () => clock });
  });
  afterAll(() => platform.stop());
  const withKey = (key: string, method: string, path: string, body?: object) =>
    platform.call(method, path, { headers: { "x-api-key": key }, ...(body && { body }) });

  test("is shown once, opens what its permissions allow, and signs as a key", async () => {
    const token = await platform.login();
    const made = await platform.call("POST", "/api-keys", {
      token,
      body: { name: "scanner", permissions: ["alerts:write"] },
    });
    expect(made.status).toBe(201);
    const key = String(made.body.key);
    const list = await platform.call("GET", "/api-keys", { token });
    expect(JSON.stringify(list.body)).not.toContain(key.split(".")[2]);
    expect(JSON.stringify(await platform.store.find("api_keys"))).not.toContain(key.split(".")[2]);
    const body = { title: "found", source: "scanner", severity: "low" };
    expect((await withKey(key, "POST", "/alerts", body)).status).toBe(201);
    expect((await withKey(key, "GET", "/alerts")).status).toBe(403);
    const { items } = (await platform.call("GET", "/audit?action=alert.CREATED", { token })).body as {
      items: { actor: string }[];
    };
    expect(items[0]?.actor).toBe("key:scanner");
  });

  test("with another secret, withdrawn, or past its end is 401", async () => {
    const key = await platform.keyWith(["alerts:read"]);
    expect((await withKey(key, "GET", "/alerts")).status).toBe(200);
    const other = `${key.slice(0, -4)}${key.endsWith("0000") ? "1111" : "0000"}`;
    for (const wrong of [other, "mk.key-1.2", "", "x".repeat(500)])
      expect((await withKey(wrong, "GET", "/alerts")).status).toBe(401);
    clock += 91 * 86_400_000;
    expect((await withKey(key, "GET", "/alerts")).status).toBe(401);
    clock -= 91 * 86_400_000;
    const token = await platform.login();
    expect((await platform.call("DELETE", `/api-keys/${key.split(".")[1]}`, { token })).status).toBe(200);
    expect((await withKey(key, "GET", "/alerts")).status).toBe(401);
    expect((await platform.call("DELETE", `/api-keys/${key.split(".")[1]}`, { token })).status).toBe(404);
  });

  test("has a name of its own and an end in the future", async () => {
    const token = await platform.login();
    const make = (body: object) => platform.call("POST", "/api-keys", { token, body });
    const key = { name: "twice", permissions: ["alerts:read"] };
    expect((await make(key)).status).toBe(201);
    expect((await make(key)).status).toBe(409);
    expect((await make({ ...key, name: "old", expires_at: "2020-01-01T00:00:00Z" })).body.detail).toContain(
      "expires_at",
    );
    expect((await make({ name: "none", permissions: [] })).status).toBe(400);
    expect((await make({ name: "made up", permissions: ["alerts:own"] })).body.detail).toContain(
      "permissions",
    );
  });
});

describe("users", () => {
  let platform: RunningPlatform;
  let token = "";
  beforeEach(async () => {
    platform = await startPlatform();
    token = await platform.login();
  });
  afterEach(() => platform.stop());

  test("are shown without anything of their password", async () => {
    const user = { username: "analyst@example.org", password, role: "analyst" };
    const made = await platform.call("POST", "/users", { token, body: user });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body).sort()).toEqual(["created_at", "disabled", "role", "username"]);
    expect((await platform.call("POST", "/users", { token, body: user })).status).toBe(409);
    const list = await platform.call("GET", "/users", { token });
    expect(list.body).toMatchObject({ total: 2, skip: 0, limit: 50, next_cursor: null });
    expect(JSON.stringify(list.body)).not.toContain("scrypt");
    const audit = await platform.call("GET", "/audit", { token });
    expect(JSON.stringify(audit.body)).not.toContain("scrypt");
    expect(JSON.stringify(audit.body)).not.toContain(password);
  });

  test("take no name that stands for something else, and no short password", async () => {
    const post = (body: object) =>
      platform.call("POST", "/users", { token, body: { role: "viewer", password, ...body } });
    for (const username of ["me", "System", "key:x", "a b", "", "../x", "x".repeat(65)]) {
      const { status, body } = await post({ username });
      expect({ status, detail: body.detail }).toEqual({
        status: 400,
        detail: expect.stringContaining("username") as unknown,
      });
    }
    expect((await post({ username: "short", password: "ninechars" })).body.detail).toContain("password");
    expect((await post({ username: "rooted", role: "root" })).body.detail).toContain("role");
  });

  test("always include an administrator, and nobody removes themselves", async () => {
    expect((await platform.call("DELETE", "/users/admin", { token })).status).toBe(409);
    for (const body of [{ role: "viewer" }, { disabled: true }])
      expect((await platform.call("PATCH", "/users/admin", { token, body })).status).toBe(409);
    const second = await platform.userOf("admin", "second");
    const [one, other] = await Promise.all([
      platform.call("DELETE", "/users/second", { token }),
      platform.call("DELETE", "/users/admin", { token: second }),
    ]);
    expect([one.status, other.status]).not.toEqual([200, 200]);
    expect(await platform.store.count("users", { where: { role: "admin" } })).toBeGreaterThan(0);
  });

  test("are changed in the version that was looked at", async () => {
    await platform.userOf("viewer", "night-shift");
    const patch = (version: string) =>
      platform.call("PATCH", "/users/night-shift", {
        token,
        body: { role: "analyst" },
        headers: { "if-match": version },
      });
    expect((await patch('"7"')).status).toBe(409);
    expect((await patch('"1"')).status).toBe(200);
    expect((await platform.call("PATCH", "/users/nobody", { token, body: { role: "analyst" } })).status).toBe(
      404,
    );
  });
});
