import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownCertificate } from "../../../drivers/certificate/certificate.ts";
import { checkPull, openPull, type PullOptions, pullPolicy } from "../../../drivers/ota/pull.ts";
import type { GuardPolicy } from "../../../drivers/stream-guard/address-rules.ts";
import { gather } from "./images.ts";

let dir: string;
let server: Server;
let ca: string;
let port: number;
let served = 0;
const bytes = Buffer.alloc(100_000, 7);
const never = new AbortController().signal;

const pages: Record<string, (reply: ServerResponse) => void> = {
  "/image": (reply) => reply.writeHead(200, { "content-length": bytes.length }).end(bytes),
  "/hop1": (reply) => redirect(reply, "/hop2"),
  "/hop2": (reply) => redirect(reply, "/hop3"),
  "/hop3": (reply) => redirect(reply, "/image"),
  "/hop0": (reply) => redirect(reply, "/hop1"),
  "/to-http": (reply) => redirect(reply, "http://updates.example/image"),
  "/to-metadata": (reply) => redirect(reply, "https://169.254.169.254/image"),
  "/to-file": (reply) => redirect(reply, "file:///etc/passwd"),
  "/to-self": (reply) => redirect(reply, `https://updates.example:${port}/image`),
  "/missing": (reply) => reply.writeHead(404).end(),
  "/zipped": (reply) => reply.writeHead(200, { "content-encoding": "gzip" }).end("x"),
  "/large": (reply) => reply.writeHead(200, { "content-length": 2 ** 31 }).write("x"),
  "/endless": (reply) => {
    const more = () => {
      while (!reply.destroyed && reply.write(bytes));
    };
    reply.writeHead(200).on("drain", more);
    more();
  },
  "/stalls": (reply) => reply.writeHead(200).write("x"),
  "/drips": (reply) => {
    const timer = setInterval(() => reply.write("x"), 5);
    reply.writeHead(200).on("close", () => clearInterval(timer));
  },
  "/silent": () => {},
  "/breaks-off": (reply) => {
    reply.writeHead(200, { "content-length": 10 }).write("x");
    setImmediate(() => reply.destroy());
  },
};

function redirect(reply: ServerResponse, location: string): void {
  reply.writeHead(302, { location }).end();
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "minaret-pull-"));
  const { cert, key } = await ownCertificate(join(dir, "server.pem"), ["updates.example"]);
  ca = cert;
  server = createServer({ cert, key }, (request, reply) => {
    served++;
    const page = pages[request.url ?? ""];
    if (page) page(reply);
    else reply.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

const here = [{ address: "127.0.0.1", family: 4 }];

/** A server in the house, allowed for the test; the name server is played. */
function options(policy: Partial<GuardPolicy> = {}, bounds: Partial<PullOptions> = {}): PullOptions {
  const resolve = async () => here;
  return { policy: { ...pullPolicy(true, () => []), resolve, ...policy }, ca, ...bounds };
}

const at = (path: string) => `https://updates.example:${port}${path}`;

async function pull(path: string, given = options()): Promise<Buffer> {
  const { bytes } = await openPull(path.includes("://") ? path : at(path), given, never);
  return gather(bytes);
}

const refused = (message: RegExp) => ({
  code: "invalid_input",
  field: "url",
  message: expect.stringMatching(message),
});

describe("a pull", () => {
  it("brings the bytes, and says how many there will be", async () => {
    const reply = await openPull(at("/image"), options(), never);
    expect(reply.length).toBe(bytes.length);
    expect(await gather(reply.bytes)).toEqual(bytes);
  });

  it("follows three redirects", async () => {
    expect(await pull("/hop1")).toEqual(bytes);
  });

  it("asks the name server once for each hop, and connects to what it was told then", async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return here;
    };
    await pull("/hop1", options({ resolve }));
    expect(asked).toHaveLength(4);
  });

  it.each([
    ["plain http", "http://updates.example/image", /https/],
    ["credentials", "https://me:secret@updates.example/image", /credentials/],
    ["a file", "file:///etc/passwd", /https/],
    ["a link-local address", "https://169.254.169.254/image", /link-local/],
    ["an unspecified address", "https://0.0.0.0/image", /unspecified/],
    ["control characters", "https://updates.example/\n", /control/],
  ])("refuses %s before anything is sent", async (_, url, message) => {
    await expect(checkPull(url, options())).rejects.toMatchObject(refused(message));
    await expect(pull(url)).rejects.toMatchObject(refused(message));
  });

  it.each([
    "127.0.0.1",
    "10.0.0.7",
    "192.168.1.5",
    "[::1]",
    "[fd00::1]",
    "[::ffff:10.0.0.1]",
    "2130706433",
    "0x7f.1",
  ])("refuses %s unless private addresses are configured", async (host) => {
    const outside = options({ allowPrivate: false });
    await expect(checkPull(`https://${host}/image`, outside)).rejects.toMatchObject({ field: "url" });
    await expect(checkPull(`https://${host}/image`, options())).resolves.toBeUndefined();
  });

  it("refuses a name that resolves to a private address only the second time", async () => {
    const answers = ["93.184.215.14", "10.0.0.7"];
    const resolve = async () => [{ address: answers.shift() ?? "10.0.0.7", family: 4 }];
    const outside = options({ allowPrivate: false, resolve });
    await checkPull(at("/image"), outside);
    await expect(pull("/image", outside)).rejects.toMatchObject(refused(/private/));
  });

  it("refuses a redirect to a private address from one that was public", async () => {
    const before = served;
    const given = options();
    // The first hop stands for a public server, which a test cannot have.
    Object.defineProperty(given.policy, "allowPrivate", { get: () => served === before });
    await expect(pull("/to-self", given)).rejects.toMatchObject(refused(/loopback/));
  });

  it.each([
    ["a fourth redirect", "/hop0", /more than 3/],
    ["a redirect to plain http", "/to-http", /https/],
    ["a redirect to a link-local address", "/to-metadata", /link-local/],
    ["a redirect to a file", "/to-file", /https/],
    ["a status that is no image", "/missing", /status 404/],
    ["an encoded body", "/zipped", /encoded/],
    ["an announced size beyond the bound", "/large", /more than an image/],
    ["a connection that breaks off", "/breaks-off", /broke off/],
  ])("refuses %s", async (_, path, message) => {
    await expect(pull(path)).rejects.toMatchObject(refused(message));
  });

  it.each([
    ["an endless body at its bound", "/endless", { maxBytes: 1_000_000 }, /more than an image/],
    ["a body that stalls", "/stalls", { idleTimeoutMs: 100 }, /broke off/],
    ["a body that only drips, at its deadline", "/drips", { deadlineMs: 200 }, /too slow/],
    ["a server that never answers", "/silent", { headTimeoutMs: 100 }, /cannot be fetched/],
  ])("ends %s", async (_, path, bounds, message) => {
    await expect(pull(path, options({}, bounds))).rejects.toMatchObject(refused(message));
  });

  it("refuses a certificate that nobody vouches for", async () => {
    const { ca: _, ...untrusted } = options();
    await expect(pull("/image", untrusted)).rejects.toMatchObject(refused(/cannot be fetched/));
  });

  it("refuses a certificate for another name", async () => {
    const url = `https://other.example:${port}/image`;
    await expect(pull(url)).rejects.toMatchObject(refused(/cannot be fetched/));
  });

  it("ends when the device does", async () => {
    const ending = new AbortController();
    const reply = await openPull(at("/stalls"), options(), ending.signal);
    const end = gather(reply.bytes);
    ending.abort();
    await expect(end).rejects.toMatchObject({ field: "url" });
  });
});
