/** Debian's Chromium, driven by Playwright, on the pages of a running service. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

const root = join(import.meta.dirname, "../..");

/** The pages as they are served; quick when they are built already. */
export function buildPages(): void {
  execFileSync(process.execPath, [join(root, "gateway/dashboard/build.ts")], { stdio: "inherit" });
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

export const phone = { width: 360, height: 740 };
export const desk = { width: 1280, height: 800 };

/** A page, and everything that went wrong in it. */
export async function openPage(browser: Browser, address: string, viewport = desk) {
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  await page.goto(address);
  return { page, troubles };
}

/** How far the page can be pushed sideways. */
export const overflow = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
