import { afterEach, describe, expect, test } from "vitest";
import { adminPassword, password, type RunningPlatform, startPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
let now = 0;
afterEach(() => platform.stop());
const start = async (limits = true) => {
  now = 0;
  platform = await startPlatform({ limits, now: () => now });
};

describe("the general limit", () => {
  test("is a hundred a minute per caller, says so in headers, and ends with its minute", async () => {
    await start();
    const token = await platform.userOf("viewer");
    const other = await platform.userOf("viewer", "other");
    const key = await platform.keyWith(["alerts:read"]);
    const get = (who: string) => platform.call("GET", "/system/mode", { token: who });
    const first = await get(token);
    expect(first.headers.get("ratelimit-limit")).toBe("100");
    expect(first.headers.get("ratelimit-remaining")).toBe("99");
    expect(first.headers.get("ratelimit-reset")).toBe("60");
    for (let n = 0; n < 99; n++) expect((await get(token)).status).toBe(200);
    now = 20_000;
    const refused = await get(token);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("40");
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit-reset")).toBe("40");
    expect(refused.body).toEqual({ detail: expect.any(String) as unknown });
    expect((await get(other)).status).toBe(200);
    expect((await platform.call("GET", "/alerts", { headers: { "x-api-key": key } })).status).toBe(200);
    now = 60_001;
    expect((await get(token)).status).toBe(200);
  });

  test("comes after authentication and before permission", async () => {
    await start();
    const token = await platform.userOf("viewer");
    for (let n = 0; n < 100; n++) await platform.call("GET", "/audit", { token });
    expect((await platform.call("GET", "/audit", { token })).status).toBe(429);
    expect((await platform.call("GET", "/audit", { token: "nonsense" })).status).toBe(401);
  });

  test("is lifted with the limits", async () => {
    await start(false);
    const token = await platform.userOf("viewer");
    const replies = await Promise.all(
      Array.from({ length: 120 }, () => platform.call("GET", "/system/mode", { token })),
    );
    expect(replies.every(({ status, headers }) => status === 200 && !headers.has("ratelimit-limit"))).toBe(
      true,
    );
  });
});

describe("the limit of playbook executions", () => {
  test("is five a minute per caller over both families, replays included, and leaves the rest alone", async () => {
    await start();
    await platform.platform.actors.playbooks.seed();
    const token = await platform.userOf("responder");
    const other = await platform.userOf("responder", "other");
    const execute = (family: string, who = token) =>
      platform.call("POST", `${family}/triage-note/execute`, { token: who, body: {} });
    for (const family of ["/soar/playbooks", "/playbooks", "/soar/playbooks", "/playbooks"])
      expect((await execute(family)).status).toBe(200);
    const replay = `/soar/playbooks/critical-review/execute?approval_id=none`;
    expect((await platform.call("POST", replay, { token, body: {} })).status).toBe(404);
    const refused = await execute("/playbooks");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit-limit")).toBe("5");
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await execute("/playbooks", other)).status).toBe(200);
    expect((await platform.call("GET", "/soar/executions", { token })).body.total).toBe(5);
    now = 60_001;
    expect((await execute("/playbooks")).status).toBe(200);
  });
});

describe("logins that fail", () => {
  const login = (username: string, secret: string) =>
    platform.call("POST", "/auth/token", { body: { username, password: secret } });

  test("five times in a minute shut out that address, the right password included, until the minute is over", async () => {
    await start();
    for (let n = 0; n < 5; n++) {
      now = n * 1_000;
      expect((await login("admin", "wrong password")).status).toBe(401);
    }
    now = 30_000;
    const refused = await login("admin", adminPassword);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect((await login("somebody-else", password)).status).toBe(429);
    now = 60_001;
    expect((await login("admin", adminPassword)).status).toBe(200);
  });

  test("at the same time do not slip past the count", async () => {
    await start();
    const replies = await Promise.all(Array.from({ length: 20 }, () => login("admin", "wrong password")));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test("include guesses at one's own password by whoever holds the session, and those are audited", async () => {
    await start();
    const token = await platform.login();
    const guess = (current_password: string) =>
      platform.call("POST", "/users/me/password", {
        token,
        body: { current_password, new_password: "another password" },
      });
    for (let n = 0; n < 5; n++) expect((await guess(`guess ${n}`)).status).toBe(403);
    expect((await guess(adminPassword)).status).toBe(429);
    const { body } = await platform.call("GET", "/audit?action=user.PASSWORD_CHANGED", { token });
    expect((body.items as { result: string }[]).map(({ result }) => result)).toEqual(
      Array.from({ length: 5 }, () => "refused"),
    );
    now = 60_001;
    expect((await guess(adminPassword)).status).toBe(200);
  });

  test("say the same of a user who exists, who does not, and who is shut out", async () => {
    await start(false);
    await platform.userOf("viewer", "shut-out");
    await platform.platform.actors.users.change("shut-out", { disabled: true }, { actor: "admin" });
    const replies = [
      await login("admin", "wrong password"),
      await login("nobody", "wrong password"),
      await login("shut-out", password),
    ];
    expect(new Set(replies.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(401);
  });

  test("do as much work for a user who does not exist as for one who does", async () => {
    await start(false);
    const { users, passwords } = await countedChecks();
    expect(users).toBe(passwords);
  });

  test("and those that succeed are audited with their address", async () => {
    await start(false);
    await login("admin", "wrong password");
    const token = await platform.login();
    const { body } = await platform.call("GET", "/audit?action=auth.login", { token });
    expect(body.items).toMatchObject([
      { result: "ok", actor: "admin", detail: { address: "127.0.0.1" } },
      { result: "refused", actor: "admin" },
    ]);
  });

  test("that succeed are not counted, one after the other or all at once", async () => {
    await start();
    for (let n = 0; n < 12; n++) expect((await login("admin", adminPassword)).status).toBe(200);
    const replies = await Promise.all(Array.from({ length: 20 }, () => login("admin", adminPassword)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
  });
});

/** How often a password was really compared, for a user who exists and for one who does not. */
async function countedChecks(): Promise<{ users: number; passwords: number }> {
  const { passwords } = platform;
  const before = passwords.checks;
  await platform.call("POST", "/auth/token", { body: { username: "admin", password: "wrong password" } });
  const existing = passwords.checks - before;
  await platform.call("POST", "/auth/token", { body: { username: "nobody", password: "wrong password" } });
  return { users: existing, passwords: passwords.checks - before - existing };
}
