import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeKey } from "../../drivers/ota/make-image.ts";
import { freePort } from "../free-port.ts";
import { describeWith } from "../real-part.ts";
import { startService } from "../service.ts";
import { offences, watchedCalls } from "./host-watch.ts";

let folder: string;
let trace: string;
let under: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "minaret-host-"));
  trace = join(folder, "trace");
  // -D: the watched program stays the direct child, so that signals reach it.
  under = ["strace", "-D", "-f", "-s", "512", "-e", `trace=${watchedCalls}`, "-o", trace];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** strace ends after what it watched; its last line is there when the last process is gone. */
async function traceOf(pid: number): Promise<string[]> {
  const ended = new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, "m");
  for (;;) {
    const text = readFileSync(trace, "utf8");
    if (ended.test(text)) return text.split("\n");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const requests: [method: string, path: string, body?: object | string][] = [
  ["POST", "/settings/time", { epoch: 1_900_000_000 }],
  ["POST", "/settings/timezone", { timezone: "EET-2EEST,M4.5.5/0,M10.5.4/24" }],
  ["POST", "/settings/brightness", { brightness: 3 }],
  ["POST", "/settings/wifi", { ssid: "somewhere", password: "a password" }],
  ["POST", "/settings/auto-off", { auto_off_minutes: 1 }],
  ["POST", "/playback/volume", { volume: 9 }],
  ["POST", "/rfid/virtual/tap", { uid: "04A2B3C4" }],
  ["GET", "/debug/screenshot"],
  ["GET", "/battery"],
  ["POST", "/ota/upload", "no image at all"],
  ["POST", "/ota/pull", { url: "https://127.0.0.1/image" }],
  ["POST", "/system/sleep"],
  ["GET", "/playback/status"],
  ["POST", "/reset"],
];

describeWith(["strace"], "without MINARET_DEVICE", () => {
  it("nothing of the host is set, slept, reconnected or drawn on, whatever is asked", async () => {
    const home = join(folder, "home");
    mkdirSync(home);
    await makeKey(join(folder, "key"), join(folder, "key.pub"));
    const env = {
      APPLIANCE_LISTEN: `http://127.0.0.1:${await freePort()}`,
      APPLIANCE_AUDIO: "auto",
      APPLIANCE_OTA_KEY: join(folder, "key.pub"),
      MINARET_INSPECTOR: "write",
      MINARET_LIMITS: "off",
    };
    const service = await startService("all", { home, env, under });
    try {
      for (const [method, path, body] of requests) {
        const back = path === "/reset" ? service.printed(/^ready$/) : undefined;
        const json = typeof body === "object";
        const reply = await fetch(`${service.appliance}/api${path}`, {
          method,
          headers: {
            authorization: `Bearer ${service.token}`,
            ...(body && { "content-type": json ? "application/json" : "application/octet-stream" }),
          },
          ...(body && { body: json ? JSON.stringify(body) : body }),
        });
        await reply.arrayBuffer();
        expect([path, reply.status]).toEqual([path, path.startsWith("/ota/") ? 400 : 200]);
        await back;
      }
      expect(await service.stop()).toBe(0);
    } finally {
      await service.kill();
    }
    const root = join(import.meta.dirname, "../..");
    const found = offences(await traceOf(service.process.pid!), {
      paths: [home, join(root, "node_modules/.cache/minaret"), "/dev/null"],
      programs: ["node", "mpv"],
    });
    expect(found).toEqual([]);
  }, 60_000);

  it("the watch would have seen it", async () => {
    // Each fails or does nothing on any machine: there are no such names.
    const script = `true > /sys/minaret-test; true > /dev/fb/minaret-test; true > /proc/sys/minaret-test; env nmcli --version; date --version; rm -f /etc/minaret-test`;
    const run = promisify(execFile);
    const [program = "", ...args] = [...under.filter((word) => word !== "-D"), "sh", "-c", script];
    await run(program, args).catch(() => {});
    const found = offences(readFileSync(trace, "utf8").split("\n"), {
      paths: [folder],
      programs: ["sh", "rm", "env"],
    });
    for (const wanted of [
      "/sys/minaret-test",
      "/dev/fb/",
      "/proc/sys/",
      "nmcli",
      "/date",
      "/etc/minaret-test",
    ])
      expect(found.join("\n")).toContain(wanted);
  });
});
