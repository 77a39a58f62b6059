import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWith } from "../real-part.ts";
import { type RunningService, startService } from "../service.ts";
import { buildPages, openBrowser, openPage, overflow, phone } from "./browser.ts";

const script = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

describeWith(["chromium"], "the platform's page", () => {
  let browser: Browser;
  let service: RunningService;
  let token: string;

  beforeAll(async () => {
    buildPages();
    browser = await openBrowser();
    service = await startService("soc", { env: { MINARET_LIMITS: "off" } });
    const { access_token } = await call("/auth/token", {
      username: "admin",
      password: service.adminPassword,
    });
    token = access_token!;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const call = async (path: string, body: object) => {
    const reply = await fetch(`${service.soc}/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    expect([path, reply.ok]).toEqual([path, true]);
    return (await reply.json()) as Record<string, string>;
  };
  const raise = (title: string) => call("/alerts", { title, source: "a test", severity: "high" });
  const logIn = async (page: Page, password = service.adminPassword) => {
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
  };

  it("lets nobody in without the right password", async () => {
    const { page } = await openPage(browser, service.soc);
    await logIn(page, "not the password");
    await page.locator(".notices p").waitFor();
    expect(await page.getByRole("heading", { name: "Alerts" }).count()).toBe(0);
    await page.close();
  });

  it("shows an alert as it arrives, and what is done with it", async () => {
    const { page } = await openPage(browser, service.soc);
    await logIn(page);
    await page.getByText("live", { exact: true }).waitFor();
    const { id } = await raise("Sign-in from two places");
    const alert = page.locator(".alerts li", { hasText: "Sign-in from two places" });
    await alert.waitFor();
    await alert.getByRole("button", { name: "Triage" }).click();
    await alert.getByText("triaged").waitFor();
    await call(`/alerts/${id}/promote`, {});
    await alert.getByText("investigating").waitFor();
    await alert.getByRole("button", { name: "Case" }).click();
    await page.locator("dialog").getByText("Timeline").waitFor();
    await page.close();
  });

  it("shows script as the text that it is", async () => {
    const { page } = await openPage(browser, service.soc);
    await logIn(page);
    await raise(script);
    await page.getByText(script).waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.title()).not.toBe("taken");
    await page.close();
  });

  it("shows an approval that waits, and lets nobody decide on their own request", async () => {
    const { page } = await openPage(browser, service.soc);
    await logIn(page);
    await page.getByText("Nothing waits for a decision").waitFor();
    await call("/soar/playbooks/critical-review/execute", {});
    await page.locator(".decision").waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.locator(".notices p").waitFor();
    expect(await page.locator(".decision").count()).toBe(1);
    await page.close();
  });

  it("fits a narrow phone", async () => {
    await raise("x".repeat(400));
    const { page } = await openPage(browser, service.soc, phone);
    await logIn(page);
    const title = page.locator(".alerts li strong").last();
    await title.waitFor();
    expect(await overflow(page)).toBe(0);
    // A column squeezed to a few letters does not scroll either.
    expect((await title.locator("xpath=..").boundingBox())?.width).toBeGreaterThan(phone.width / 2);
    await page.close();
  });
});
