import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { buildPages } from "../e2e/browser.ts";
import { type RunningService, startService } from "../service.ts";
import { minaret } from "./run-command.ts";

const scratch = mkdtempSync(join(tmpdir(), "minaret-image-"));
let service: RunningService | undefined;
afterAll(async () => {
  await service?.discard();
  rmSync(scratch, { recursive: true, force: true });
});

// Thousands of files are packed, sent, synced and run: about a minute on a busy machine.
it.runIf(process.env.CI === "true")(
  "an image of this release is taken by a device that knows its key, and runs from its slot",
  async () => {
    buildPages();
    const key = join(scratch, "key");
    const image = join(scratch, "image");
    expect(await minaret(["image", "--make-key", key])).toMatchObject({ code: 0 });
    const made = await minaret(["image", "--key", key, "--out", image, "--version", "2.7.0"]);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain("version 2.7.0 for minaret-1");

    service = await startService("appliance", { env: { APPLIANCE_OTA_KEY: `${key}.pub` } });
    const reply = await fetch(`${service.appliance}/api/ota/upload`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${service.token}`,
        "content-type": "application/octet-stream",
        "content-length": String((await stat(image)).size),
      },
      body: Readable.toWeb(createReadStream(image)) as ReadableStream,
      duplex: "half",
    } as RequestInit);
    expect([reply.status, await reply.json()]).toMatchObject([200, { success: true, status: "ready" }]);
    await service.stop();

    // On its own, with nothing but what the image brought: the modules beside it are the packed ones.
    const main = join(service.home, "appliance/slots/a/main.ts");
    const updated = await startService("appliance", { main, home: join(scratch, "home") });
    try {
      const page = await fetch(updated.appliance);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>Minaret")]);
      expect((await fetch(`${updated.appliance}/api/system`)).status).toBe(200);
    } finally {
      await updated.discard();
    }
  },
  180_000,
);
