import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAppliance, type TestAppliance } from "./appliance/appliance.ts";
import { converse } from "./raw-socket.ts";

let appliance: TestAppliance;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "minaret-pages-"));
  await writeFile(join(folder, "secret.txt"), "secret");
  const pages = join(folder, "dist");
  appliance = await startAppliance({ pages });
  expect(await (await fetch(appliance.url)).text()).toContain("not built yet");
  await mkdir(join(pages, "assets"), { recursive: true });
  await writeFile(join(pages, "index.html"), "<!doctype html><title>page</title>");
  await writeFile(join(pages, "assets", "app-1234.js"), `export const text = "${"x".repeat(5000)}";`);
  await symlink(join(folder, "secret.txt"), join(pages, "link.txt"));
});
afterAll(async () => {
  await appliance.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the page is served at its own addresses, and appears as soon as it is built", async () => {
  for (const path of ["/", "/index.html", "/prayer", "/radio/stations"]) {
    const reply = await fetch(`${appliance.url}${path}`);
    expect([path, reply.headers.get("content-type")]).toEqual([path, "text/html; charset=utf-8"]);
    expect(await reply.text()).toContain("<title>page</title>");
  }
});

test("an asset is compressed, kept for good and asked for only once", async () => {
  const address = `${appliance.url}/assets/app-1234.js`;
  const reply = await fetch(address);
  expect(reply.headers.get("content-encoding")).toBe("gzip");
  expect(reply.headers.get("cache-control")).toContain("immutable");
  expect((await reply.text()).length).toBeGreaterThan(5000);
  const plain = await fetch(address, { headers: { "accept-encoding": "identity" } });
  expect([plain.headers.get("content-encoding"), (await plain.text()).length > 5000]).toEqual([null, true]);
  const etag = reply.headers.get("etag") ?? "";
  expect((await fetch(address, { headers: { "if-none-match": etag } })).status).toBe(304);
});

test("no path leads out of the folder", async () => {
  for (const path of [
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "/assets/..\\..\\secret.txt",
    "//secret.txt",
    "/link.txt",
    "/secret.txt%00.js",
    "/%E0%A4%A.txt",
  ]) {
    const reply = await converse(appliance.url, (socket) =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    );
    expect([path, reply.status]).toEqual([path, 404]);
    expect(reply.text).not.toContain("secret\n");
  }
});

test("nothing but reading is allowed, and the API is never a page", async () => {
  expect((await fetch(`${appliance.url}/`, { method: "POST" })).status).toBe(404);
  expect((await fetch(`${appliance.url}/api/prayer-page`)).headers.get("content-type")).toContain("json");
  const raw = await converse(appliance.url, (socket) =>
    socket.write("GET /api/%2e%2e/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
  );
  expect(raw.status).toBe(404);
});

test("figures are for this machine only", async () => {
  const reply = await fetch(`${appliance.url}/metrics`);
  const text = await reply.text();
  for (const name of ["loop_lag_seconds", "appliance_request_seconds_bucket", "appliance_stream_clients"]) {
    expect(text).toContain(`minaret_${name}`);
  }
  const forwarded = await fetch(`${appliance.url}/metrics`, { headers: { "x-forwarded-for": "192.0.2.1" } });
  expect(await forwarded.text()).not.toContain("minaret_");
});
