import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ownCertificate } from "../../drivers/certificate/certificate.ts";
import { startAppliance } from "./appliance/appliance.ts";
import { Listening } from "./listener.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "minaret-tls-"));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

test("TLS and plain listeners serve the same; the certificate is trusted for its names and HSTS is TLS only", async () => {
  const identity = () => ownCertificate(join(folder, "certificate.pem"), ["localhost", "127.0.0.1"]);
  const appliance = await startAppliance({
    identity,
    listeners: [
      { tls: true, host: "127.0.0.1", port: 0 },
      { tls: false, host: "127.0.0.1", port: 0 },
    ],
  });
  const [secure, plain] = appliance.gateway.urls as [string, string];
  expect([new URL(secure).protocol, new URL(plain).protocol]).toEqual(["https:", "http:"]);
  const { cert: ca } = await identity();
  const hsts = await new Promise((resolve, reject) => {
    const asked = request(`${secure}/api/radio/stations`, { ca, agent: false }, (reply) => {
      reply.resume();
      resolve([reply.statusCode, reply.headers["strict-transport-security"]]);
    });
    asked.on("error", reject).end();
  });
  expect(hsts).toEqual([200, expect.stringContaining("max-age=")]);
  const unknown = fetch(`${secure}/api/radio/stations`);
  await expect(unknown).rejects.toThrow();
  expect((await fetch(`${plain}/api/radio/stations`)).headers.get("strict-transport-security")).toBeNull();
  const listener = new Listening(`${secure}/ws`, { ca });
  expect((await listener.hello()).event).toBe("hello");
  await listener.close();
  await appliance.stop();
});

test("a certificate that was renewed is shown within the hour, to new connections, without a restart", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const names = ["127.0.0.1"];
  const identity = () => ownCertificate(join(folder, "certificate.pem"), names);
  const appliance = await startAppliance({
    identity,
    listeners: [{ tls: true, host: "127.0.0.1", port: 0 }],
  });
  const port = Number(new URL(appliance.url).port);
  const shown = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.subjectAltName);
        socket.destroy();
      }).on("error", reject);
    });
  expect(await shown()).toBe("IP Address:127.0.0.1");
  names.push("minaret.local");
  await vi.advanceTimersByTimeAsync(3_600_000);
  await vi.waitFor(async () => expect(await shown()).toContain("DNS:minaret.local"), 10_000);
  await appliance.stop();
});

test("a port that is taken fails the start and leaves no other listener open", async () => {
  const first = await startAppliance();
  const port = Number(new URL(first.url).port);
  const both = [
    { tls: false, host: "127.0.0.1", port: 0 },
    { tls: false, host: "127.0.0.1", port },
  ];
  await expect(startAppliance({ listeners: both })).rejects.toThrow("EADDRINUSE");
  await first.stop();
});
