import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startOta } from "../../../actors/appliance/ota.ts";
import { rehearseBoot } from "../../../drivers/ota/boot.ts";
import { pullPolicy } from "../../../drivers/ota/pull.ts";
import { readPointer, slotPath, writePointer } from "../../../drivers/ota/slots.ts";
import { Updater } from "../../../drivers/ota/updater.ts";
import { archiveOf, board, imageOf, inPieces, keys, release } from "../../drivers/ota/images.ts";
import { Listening } from "../listener.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";

const image = imageOf(await archiveOf(release("2.1.0")), "2.1.0");
const idle = { in_progress: false, progress: 0, mode: "idle", status: "idle", error: "" };
let home: string;
let appliance: TestAppliance;
let boot: () => Promise<void>;

async function start(limits = false): Promise<void> {
  const running = { home, board, version: "2.0.0", running: null };
  const parts = {
    home,
    updater: new Updater({ ...running, keys: async () => [keys.publicKey] }),
    pull: { policy: pullPolicy(false, () => []) },
    reboot: () => boot(),
  };
  appliance = await startAppliance({
    limits,
    children: () => [{ id: "ota", start: startOta(parts), restart: "permanent" }],
  });
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "minaret-ota-routes-"));
  boot = async () => void (await rehearseBoot(home));
});
afterEach(async () => {
  await appliance.stop();
  await rm(home, { recursive: true, force: true });
});

async function call(path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${appliance.token.value}`, ...(init.headers as object) };
  const reply = await fetch(`${appliance.url}/api/ota/${path}`, { ...init, headers });
  return {
    status: reply.status,
    body: (await reply.json()) as Record<string, unknown>,
    headers: reply.headers,
  };
}

const upload = (body: Uint8Array) => call("upload", { method: "POST", body: new Uint8Array(body) });
const uploadStream = (body: AsyncIterable<Uint8Array>) =>
  call("upload", {
    method: "POST",
    body: Readable.toWeb(Readable.from(body)) as ReadableStream,
    duplex: "half",
  } as RequestInit);
const pull = (url: unknown) =>
  call("pull", {
    method: "POST",
    body: JSON.stringify({ url }),
    headers: { "content-type": "application/json" },
  });

describe("an uploaded image", () => {
  it("is written beside the running release, booted, and followed by everybody with rising progress", async () => {
    await start();
    const listener = new Listening(`${appliance.url}/ws`);
    await listener.hello();
    const reply = await upload(image);
    expect(reply.body).toEqual({
      success: true,
      in_progress: true,
      progress: 100,
      mode: "upload",
      status: "ready",
      error: "",
    });
    expect(await readFile(join(slotPath(home, "a"), "package.json"), "utf8")).toContain("2.1.0");
    await listener.until(({ event, data }) => event === "ota" && data.status === "rebooting");
    await listener.until(({ event, data }) => event === "ota" && data.status === "idle");
    const events = listener.heard.filter(({ event }) => event === "ota");
    const caused = events.filter(({ cause }) => cause === reply.headers.get("x-request-id"));
    expect(caused).toHaveLength(1);
    const progress = events.map(({ data }) => data.progress as number).slice(0, -1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(await readPointer(home)).toMatchObject({ active: { version: "2.1.0" }, trial: null });
    expect((await call("status")).body).toEqual(idle);
    await listener.close();
  });

  it("may come without a length", async () => {
    await start();
    expect((await uploadStream(inPieces(image))).status).toBe(200);
  });

  it("is the only one while it runs, whichever way the second comes", async () => {
    await start();
    const { promise: rest, resolve: send } = Promise.withResolvers<void>();
    const slow = async function* () {
      yield image.subarray(0, 1_000);
      await rest;
      yield image.subarray(1_000);
    };
    const first = uploadStream(slow());
    await expect.poll(async () => (await call("status")).body.status).toBe("receiving");
    for (const second of [await upload(image), await pull("https://updates.example/image")]) {
      expect(second.status).toBe(400);
      expect(second.body.error).toBe("an update is already running");
    }
    send();
    expect((await first).status).toBe(200);
  });

  it.each([
    ["a wrong signature", imageOf(image, "2.1.0", { key: generateKeyPairSync("ed25519").privateKey })],
    ["a truncated one", image.subarray(0, -1)],
    ["another board", imageOf(image, "2.1.0", { manifest: { board: "toaster" } })],
    ["an older one", imageOf(image, "1.0.0")],
    ["more than a slot holds", imageOf(image, "2.1.0", { manifest: { size: 2 ** 40 } })],
    ["a payload that is no archive", imageOf(Buffer.alloc(4_000, 1), "2.1.0")],
    ["trailing bytes", Buffer.concat([image, Buffer.from("!")])],
    ["nothing at all", Buffer.alloc(0)],
  ])("with %s is a 400 that names it; the status says why, and the next one is taken", async (_, bad) => {
    await start();
    const reply = await upload(bad);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(/^image: /);
    expect((await call("status")).body).toMatchObject({
      in_progress: false,
      mode: "idle",
      status: "failed",
      error: reply.body.error,
    });
    expect(await readPointer(home)).toMatchObject({ active: null, trial: null });
    expect((await upload(image)).status).toBe(200);
  });

  it("that breaks off leaves nothing behind", async () => {
    await start();
    const ending = new AbortController();
    const never = async function* () {
      yield image.subarray(0, 1_000);
      await new Promise(() => {});
    };
    const body = Readable.toWeb(Readable.from(never())) as ReadableStream;
    const broken = call("upload", {
      method: "POST",
      body,
      duplex: "half",
      signal: ending.signal,
    } as RequestInit);
    broken.catch(() => {});
    await expect.poll(async () => (await call("status")).body.status).toBe("receiving");
    ending.abort();
    await expect.poll(async () => (await call("status")).body.status).toBe("failed");
    expect(await readdir(join(home, "slots"))).toEqual([]);
  });

  it("that does not boot is reported", async () => {
    boot = () => Promise.reject(new Error("no"));
    await start();
    const listener = new Listening(`${appliance.url}/ws`);
    await upload(image);
    const failed = await listener.until(({ event, data }) => event === "ota" && data.status === "failed");
    expect(failed.data.error).toBe("the update failed on the device");
    await listener.close();
  });
});

describe("a pull", () => {
  it.each([
    "http://updates.example/image",
    "https://127.0.0.1/image",
    "https://10.1.2.3/image",
    "https://[::1]/image",
    "https://169.254.169.254/",
    "https://user:secret@updates.example/",
    "ftp://updates.example/",
    "",
    7,
    null,
  ])("of %j is a 400 that names url, and nothing changes", async (url) => {
    await start();
    const reply = await pull(url);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatch(/^url/);
    expect((await call("status")).body).toEqual(idle);
  });
});

it("a version that was rolled back at boot is told after the start", async () => {
  await rm(home, { recursive: true });
  const updater = new Updater({ home, board, version: "2.0.0", running: null, keys: async () => [] });
  await updater.open();
  const rolledBack = { version: "2.1.0", reason: "it did not report healthy in time" };
  await writePointer(home, { active: null, trial: null, rolledBack });
  await start();
  expect((await call("status")).body).toMatchObject({
    status: "failed",
    error: "version 2.1.0 was given up: it did not report healthy in time",
  });
});

it("uploads and pulls are limited to two a minute each", async () => {
  await start(true);
  const statuses = async (send: () => ReturnType<typeof call>) => [await send(), await send(), await send()];
  const uploads = await statuses(() => upload(Buffer.alloc(3)));
  const pulls = await statuses(() => pull("http://x/"));
  for (const replies of [uploads, pulls]) {
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 429]);
    expect(Number(replies[2]!.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});
