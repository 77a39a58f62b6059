import { Bonjour } from "bonjour-service";
import { expect, it, onTestFinished } from "vitest";
import { BonjourMdns } from "../../../drivers/mdns/bonjour.ts";

const loopback = { interface: "127.0.0.1", bind: "0.0.0.0", port: 15_353 };

it("the page is found as minaret.local, with its port, until it is taken back", async () => {
  const errors: Error[] = [];
  const mdns = new BonjourMdns((error) => errors.push(error), loopback);
  const seeker = new Bonjour(loopback as object, (error: Error) => errors.push(error));
  onTestFinished(() => void seeker.destroy());
  const found = new Promise<{ host: string; port: number }>((resolve) =>
    seeker.find({ type: "https" }, (service) => resolve(service)),
  );
  await mdns.open(8443, true);
  expect(await found).toMatchObject({ host: "minaret.local", port: 8443 });
  await mdns.close();
  await mdns.close();
  expect(errors).toEqual([]);
});

it("a network that cannot be used is reported and is no failure", async () => {
  const errors: Error[] = [];
  const mdns = new BonjourMdns((error) => errors.push(error), { interface: "203.0.113.1", port: 15_354 });
  await mdns.open(8443, true);
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  await mdns.close();
});
