import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { type RunningService, startService } from "../service.ts";

const homes = new Set<string>();
afterAll(async () => {
  for (const home of homes) await rm(home, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}, home?: string): Promise<RunningService> {
  const service = await startService("soc", { env, ...(home && { home }) });
  homes.add(service.home);
  return service;
}

async function call(origin: string, method: string, path: string, token: string, body?: object) {
  const reply = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, string> };
}

const login = (origin: string, password: string) =>
  call(origin, "POST", "/auth/token", "", { username: "admin", password });

const verify = (...args: string[]) => verifyIn({}, ...args);
const verifyIn = (env: Record<string, string>, ...args: string[]) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const main = join(import.meta.dirname, "../../main.ts");
    const options = { env: { PATH: process.env.PATH, ...env } };
    execFile(process.execPath, [main, "verify", ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr });
    });
  });

describe("minaret soc", () => {
  test("says the administrator's password at the first start only, and it works after the next", async () => {
    const first = await start();
    const secret = first.adminPassword;
    expect(secret.length).toBeGreaterThanOrEqual(20);
    expect((await login(first.soc, secret)).status).toBe(200);
    expect(await first.stop()).toBe(0);
    const second = await start({}, first.home);
    expect(second.adminPassword).toBe("");
    expect((await login(second.soc, secret)).status).toBe(200);
    expect(await second.stop()).toBe(0);
    const kept = await readFile(join(first.home, "soc", "first-admin.json"), "utf8");
    expect(kept).not.toContain(secret);
  });

  test("serves its page at the root, and figures to this machine", async () => {
    const service = await start({ SOC_ADMIN_PASSWORD: "from the environment" });
    expect(service.adminPassword).toBe("");
    const page = await fetch(service.soc);
    expect(page.status).toBe(200);
    expect(await (await fetch(`${service.soc}/metrics`)).text()).toContain("minaret_soc_request_seconds");
    expect(await service.stop()).toBe(0);
  });

  test("runs as a showcase without any store", async () => {
    const service = await start({ SOC_MODE: "dummy", SOC_STORE: "none" });
    const { body } = await login(service.soc, service.adminPassword);
    const cases = await call(service.soc, "GET", "/cases", body.access_token!);
    expect(Number(cases.body.total)).toBeGreaterThan(0);
    const secret = service.adminPassword;
    await service.stop();
    const again = await start({ SOC_MODE: "dummy", SOC_STORE: "none" }, service.home);
    expect(again.adminPassword).toBe("");
    expect((await login(again.soc, secret)).status).toBe(200);
    await again.stop();
  });

  test("an export of its evidence is checked by minaret verify, without it", async () => {
    const service = await start({ SOC_ADMIN_PASSWORD: "from the environment" });
    const token = (await login(service.soc, "from the environment")).body.access_token!;
    const made = await call(service.soc, "POST", "/cases", token, { title: "case", severity: "low" });
    const evidence = { name: "disk", evidence_type: "image", sha256: "ab".repeat(32) };
    const path = `/cases/${made.body.id}/evidence`;
    const held = await call(service.soc, "POST", path, token, evidence);
    await call(service.soc, "POST", `${path}/${held.body.id}/custody`, token, { action: "handed over" });
    const { body } = await call(service.soc, "GET", `${path}/${held.body.id}/export`, token);
    await service.stop();
    const file = join(service.home, "export.json");
    await writeFile(file, JSON.stringify(body));
    expect(await verify(file)).toMatchObject({
      code: 0,
      text: expect.stringContaining("2 entries") as unknown,
    });
    expect((await verify(file, "--key", body.public_key!)).code).toBe(0);
    await writeFile(file, JSON.stringify(body).replace("handed over", "handed ovER"));
    const broken = await verify(file);
    expect(broken).toMatchObject({ code: 1, text: expect.stringContaining("BROKEN at entry 2") as unknown });
    expect((await verify(join(service.home, "nothing.json"))).code).toBe(1);
  });

  test("its audit stream is checked by minaret verify --audit, while it runs and after somebody changed it", async () => {
    const service = await start({ SOC_ADMIN_PASSWORD: "from the environment" });
    const env = { MINARET_HOME: service.home };
    const token = (await login(service.soc, "from the environment")).body.access_token!;
    await call(service.soc, "POST", "/alerts", token, { title: "one", source: "s", severity: "low" });
    expect((await verifyIn(env, "--audit")).code).toBe(0);
    await service.stop();
    const whole = await verifyIn(env, "--audit");
    expect(whole).toMatchObject({ code: 0, text: expect.stringMatching(/holds, (\d+) entries/) as unknown });
    const db = new DatabaseSync(join(service.home, "soc", "store.db"));
    db.exec(`UPDATE doc_audit SET body = replace(body, '"result":"ok"', '"result":"refused"')
      WHERE body LIKE '%auth.login%'`);
    db.close();
    expect(await verifyIn(env, "--audit")).toMatchObject({
      code: 1,
      text: expect.stringMatching(/BROKEN at entry \d+: entry \d+ was changed/) as unknown,
    });
    expect((await verifyIn({ MINARET_HOME: join(service.home, "none") }, "--audit")).code).toBe(1);
  });
});
