import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { isLocal } from "../../gateway/exchange.ts";

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

it.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])("%s is this machine", (address) => {
  expect(isLocal(from(address))).toBe(true);
});

it.each(["192.168.1.4", "10.0.0.1", "::ffff:192.168.1.4", "fe80::1", "12.7.0.0", "", undefined])(
  "%s is another machine",
  (address) => {
    expect(isLocal(from(address))).toBe(false);
  },
);

it.each(["x-forwarded-for", "forwarded"])("who comes through a proxy (%s) is not this machine", (name) => {
  expect(isLocal(from("127.0.0.1", { [name]: "for=192.0.2.1" }))).toBe(false);
});
