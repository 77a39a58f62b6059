import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { describeWith } from "../real-part.ts";
import { type RunningService, startService } from "../service.ts";
import { buildPages, openBrowser, openPage, overflow, phone } from "./browser.ts";

describeWith(["chromium"], "the appliance's page", () => {
  let browser: Browser;
  let service: RunningService;
  let env: Record<string, string>;

  beforeAll(async () => {
    buildPages();
    browser = await openBrowser();
    env = { APPLIANCE_LISTEN: `http://127.0.0.1:${await freePort()}`, MINARET_LIMITS: "off" };
    service = await startService("appliance", { env });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const call = async (path: string, body?: object) => {
    const reply = await fetch(`${service.appliance}/api${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([path, reply.status]).toEqual([path, 200]);
  };
  const read = async <T>(path: string) =>
    (await (await fetch(`${service.appliance}/api${path}`)).json()) as T;
  const status = () => read<{ volume: number; state: string }>("/playback/status");
  const anySurah = async () => {
    const { reciters } = await read<{ reciters: { name: string }[] }>("/library/reciters");
    const reciter = encodeURIComponent(reciters[0]!.name);
    const { surahs } = await read<{ surahs: { path: string | null; name: string; number: number }[] }>(
      `/library/surahs?reciter=${reciter}`,
    );
    return surahs.find(({ path }) => path !== null)!;
  };

  it("shows what somebody else started, and follows it", async () => {
    const { page, troubles } = await openPage(browser, service.appliance);
    await page.getByText("Nothing is playing").waitFor();
    const surah = await anySurah();
    await call("/playback/play", { path: surah.path });
    const now = page.getByLabel("Now playing");
    await now.getByRole("heading", { name: surah.name }).waitFor();
    await now.getByRole("button", { name: "Pause" }).waitFor();
    await call("/playback/pause");
    await now.getByRole("button", { name: "Resume" }).waitFor();
    expect(troubles).toEqual([]);
    await page.close();
  });

  it("asks for the token, keeps it, and carries the volume to the device", async () => {
    const { page } = await openPage(browser, service.appliance);
    const volume = page.getByLabel("Volume");
    const before = (await status()).volume;
    await volume.focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("This needs the device token").first().waitFor();
    expect((await status()).volume).toBe(before);

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Device token").fill(service.token);
    await page.getByRole("button", { name: "Keep" }).click();
    await page.getByText("The token is kept").waitFor();
    const told = page.waitForResponse((reply) => reply.url().endsWith("/playback/volume"));
    await volume.fill("23");
    expect((await told).status()).toBe(200);
    expect((await status()).volume).toBe(23);
    await page.close();
  });

  it("says that the device is away, and recovers by itself", async () => {
    const { page } = await openPage(browser, service.appliance);
    const away = page.getByText("Waiting for the device");
    await page.getByLabel("Now playing").waitFor();
    await away.waitFor({ state: "detached" });
    const { home, token } = service;
    await service.stop();
    await away.waitFor();
    service = await startService("appliance", { env, home, token });
    await away.waitFor({ state: "detached" });
    await call("/playback/volume", { volume: 31 });
    await page.locator("output", { hasText: /^31$/ }).waitFor();
    await page.close();
  });

  it.each(["library", "streams", "prayer", "schedules", "cards", "settings"])(
    "fits a narrow phone: %s",
    async (name) => {
      await call("/radio/stations", { name: "A".repeat(120), url: `http://192.0.2.1/${"long".repeat(50)}` });
      const { page, troubles } = await openPage(browser, `${service.appliance}/#${name}`, phone);
      await page.getByLabel("Now playing").waitFor();
      await page.locator("main > *").nth(1).waitFor();
      expect(await overflow(page)).toBe(0);
      expect(troubles).toEqual([]);
      await page.close();
    },
  );
});
