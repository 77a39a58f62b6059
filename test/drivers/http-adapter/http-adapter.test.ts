import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guardedCaller } from "../../../drivers/http-adapter/guarded-call.ts";
import { AdapterError, callAdapter } from "../../../drivers/http-adapter/http-adapter.ts";
import { outcomeOfCall } from "../../../drivers/http-adapter/outcome.ts";
import type { GuardPolicy } from "../../../drivers/stream-guard/address-rules.ts";

let server: http.Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let port: number;
beforeEach(async () => {
  server = http.createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const call = (more: Partial<Parameters<typeof callAdapter>[0]> = {}) =>
  callAdapter({
    method: "POST",
    url: new URL(`http://127.0.0.1:${port}/x`),
    timeoutMs: 300,
    maxBytes: 1000,
    ...more,
  });

describe("a call to an adapter", () => {
  it("brings the body, the headers and the status back", async () => {
    answer = (request, response) => {
      response.writeHead(201, { "x-seen": request.headers["x-one"] as string }).end("done");
    };
    const reply = await call({ headers: { "x-one": "1" }, body: "hello" });
    expect(reply).toMatchObject({ status: 201, text: "done", headers: { "x-seen": "1" } });
  });

  it("ends with its time, whether the server is silent or drips", async () => {
    answer = () => {};
    await expect(call()).rejects.toMatchObject({ sent: true, message: "no answer in time" });
    let drip: NodeJS.Timeout | undefined;
    answer = (_, response) => {
      drip = setInterval(() => response.write("."), 20);
    };
    const dripping = call({ maxBytes: 1_000_000 });
    await expect(dripping).rejects.toMatchObject({ sent: true, message: "no answer in time" });
    clearInterval(drip);
  });

  it("takes no more than its bound", async () => {
    answer = (_, response) => void response.end("x".repeat(2_000));
    await expect(call()).rejects.toMatchObject({ sent: true, message: expect.stringContaining("larger") });
  });

  it("knows that nothing was sent where nobody listens", async () => {
    const free = http.createServer();
    await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
    const { port: unused } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const url = new URL(`http://127.0.0.1:${unused}/`);
    await expect(call({ url })).rejects.toMatchObject({ sent: false });
    expect(await outcomeOfCall(() => call({ url }))).toMatchObject({ kind: "refused", status: null });
  });

  it("is ended by its signal, before and while it runs", async () => {
    const control = new AbortController();
    answer = () => control.abort();
    await expect(call({ signal: control.signal })).rejects.toBeInstanceOf(AdapterError);
    await expect(call({ signal: control.signal })).rejects.toMatchObject({ sent: false });
  });

  it("does not follow a redirect", async () => {
    const paths: string[] = [];
    answer = (request, response) => {
      paths.push(request.url ?? "");
      response.writeHead(302, { location: "/elsewhere" }).end();
    };
    expect(await outcomeOfCall(() => call())).toMatchObject({ kind: "refused", status: 302 });
    expect(paths).toEqual(["/x"]);
  });

  it.each([
    [200, "answered"],
    [204, "answered"],
    [400, "refused"],
    [404, "refused"],
    [429, "refused"],
    [500, "unknown"],
    [503, "refused"],
    [408, "unknown"],
    [502, "unknown"],
    [504, "unknown"],
  ])("that is answered with %d is %s", async (status, kind) => {
    answer = (_, response) => void response.writeHead(status).end();
    expect(await outcomeOfCall(() => call())).toMatchObject({ kind });
  });
});

describe("a call to an address that a playbook names", () => {
  const policy = (more: Partial<GuardPolicy> = {}): GuardPolicy => ({
    schemes: ["http:", "https:"],
    allowPrivate: true,
    ownPorts: () => [],
    ...more,
  });
  const guarded = (url: string, more?: Partial<GuardPolicy>, headers: Record<string, string> = {}) =>
    guardedCaller(policy(more))({ method: "GET", url, headers, timeoutMs: 300 });

  it("reaches a server of the network", async () => {
    answer = (_, response) => void response.end("{}");
    expect(await guarded(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: "answered" });
  });

  it.each([
    "http://169.254.169.254/",
    "http://[fe80::1]/",
    "http://0.0.0.0/",
    "ftp://127.0.0.1/",
    "http://a:b@c/",
  ])("does not reach %s", async (url) => {
    expect(await guarded(url)).toMatchObject({ kind: "refused", status: null });
  });

  it("does not reach the platform itself", async () => {
    answer = (_, response) => void response.end("{}");
    const own = await guarded(`http://127.0.0.1:${port}/`, { ownPorts: () => [port] });
    expect(own).toMatchObject({ kind: "refused" });
  });

  it("connects to the address that was checked, however the name changes", async () => {
    answer = (request, response) => void response.end(JSON.stringify(request.headers.host));
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const outcome = await guarded(`http://firewall.example:${port}/`, { resolve });
    expect(outcome).toMatchObject({ kind: "answered", reply: { text: `"firewall.example:${port}"` } });
    const metadata = async () => [{ address: "169.254.169.254", family: 4 }];
    expect(await guarded("http://firewall.example/", { resolve: metadata })).toMatchObject({
      kind: "refused",
    });
  });

  it("refuses a header that would begin another", async () => {
    answer = (_, response) => void response.end();
    const outcome = await guarded(`http://127.0.0.1:${port}/`, {}, { "x-a": "1\r\nx-b: 2" });
    expect(outcome).toMatchObject({ kind: "refused" });
  });
});
