import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkAudit } from "../../../actors/soc/audit-check.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
let token: string;
beforeEach(async () => {
  platform = await startPlatform();
  token = await platform.login();
});
afterEach(() => platform.stop());

const post = (path: string, body: unknown) => platform.call("POST", path, { token, body });
const halfCharacter = "\ud800";

describe("half a character", () => {
  test("as a username is refused, and the audit stream is chained on", async () => {
    const credentials = { username: halfCharacter, password: "whatever it is" };
    const refused = await post("/auth/token", credentials);
    expect(refused).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^username: /) as unknown },
    });
    await platform.platform.desk.audit.seal();
    const { body } = await platform.call("GET", "/audit", { token });
    expect((body.items as { link: unknown }[]).every(({ link }) => link !== null)).toBe(true);
  });

  test("written to the audit stream all the same does not end its chain", async () => {
    const { audit } = platform.platform.desk;
    const entry = { at: new Date().toISOString(), action: "test", object: "test/1" };
    await audit.record({ ...entry, actor: halfCharacter, detail: { [halfCharacter]: [halfCharacter] } });
    await audit.seal();
    expect(await checkAudit(platform.store, platform.keys)).toMatchObject([{ valid: true, entries: 4 }]);
  });

  test.each([
    ["context.seen", { context: { seen: halfCharacter } }],
    ["context.seen", { context: { seen: [{ deep: halfCharacter }] } }],
    ["context.seen", { context: { seen: { "a\0b": 1 } } }],
  ])("or a NUL in a name is refused in an observable: %s %j", async (field, part) => {
    const { body: opened } = await post("/cases", { title: "case", severity: "low" });
    const { status, body } = await post(`/cases/${opened.id as string}/observables`, {
      ...{ type: "ip", value: "10.0.0.1" },
      ...part,
    });
    expect(status).toBe(400);
    expect(body.detail).toMatch(new RegExp(`^${field}: `));
  });

  test("is refused in the parameters of a run", async () => {
    await platform.platform.actors.playbooks.seed();
    const { status, body } = await post("/soar/playbooks/critical-review/execute", {
      parameters: { reason: halfCharacter },
    });
    expect(status).toBe(400);
    expect(body.detail).toMatch(/^parameters\.reason: /);
  });
});

describe("names of a prototype", () => {
  test.each(["__proto__", "constructor", "toString"])(
    "%s is an unknown field like any other",
    async (name) => {
      const body = `{"title":"t","source":"s","severity":"low","${name}":{"admin":true}}`;
      const reply = await fetch(`${platform.url}/api/v1/alerts`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toEqual({ detail: `${name}: is not a known field` });
    },
  );
});
