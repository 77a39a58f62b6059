import { describe, expect, it } from "vitest";
import type { GuardPolicy } from "../../../drivers/stream-guard/address-rules.ts";
import { checkStreamUrl } from "../../../drivers/stream-guard/check-url.ts";

const names: Record<string, string[]> = {
  "radio.example": ["93.184.216.34"],
  "house.example": ["192.168.1.20"],
  "metadata.example": ["169.254.169.254"],
  "mixed.example": ["169.254.169.254", "93.184.216.34"],
  "self.example": ["192.168.1.5"],
};

const policy: GuardPolicy = {
  schemes: ["http:", "https:"],
  allowPrivate: true,
  ownPorts: () => [8080, 8443],
  ownAddresses: () => ["127.0.0.1", "::1", "192.168.1.5", "2001:db8::5"],
  resolve: async (host) => {
    const found = names[host];
    if (!found) throw new Error("ENOTFOUND");
    return found.map((address) => ({ address, family: 4 }));
  },
};
const forUpdates: GuardPolicy = { ...policy, schemes: ["https:"], allowPrivate: false };

describe("a stream's URL", () => {
  it.each([
    "http://radio.example/live",
    "https://radio.example:8000/live.mp3?x=1",
    "http://house.example:8000/",
    "http://127.0.0.1:8000/radio",
    "http://[::1]:8000/radio",
    "http://192.168.1.5:9000/",
  ])("%s passes", async (url) => {
    await expect(checkStreamUrl(url, policy)).resolves.toMatchObject({ href: url });
  });

  it.each([
    ["ftp://radio.example/", /must begin with/],
    ["file:///etc/passwd", /must begin with/],
    ["javascript:alert(1)", /must begin with/],
    ["radio.example/live", /not a valid URL/],
    ["", /not a valid URL/],
    ["http://", /not a valid URL/],
    ["http:radio.example", /no host/],
    ["http:///radio.example", /no host/],
    ["http://user:pass@radio.example/", /credentials/],
    ["http://@radio.example/", /credentials/],
    ["http://radio.example/a b", /control characters/],
    ["http://radio.example/\r\nHost: x", /control characters/],
    ["http://radio.example/\u0000", /control characters/],
    ["http://radio.example\\@house.example/", /backslashes/],
    ["http://radio.example:0/", /port/],
    ["http://radio.example:99999/", /not a valid URL/],
    [`http://radio.example/${"a".repeat(2_050)}`, /longer/],
    ["http://nowhere.example/", /cannot be resolved/],
  ])("%j is refused, naming the field", async (url, message) => {
    await expect(checkStreamUrl(url, policy)).rejects.toMatchObject({
      code: "invalid_input",
      field: "url",
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["http://169.254.169.254/", "link-local"],
    ["http://metadata.example/", "link-local"],
    ["http://[fe80::1]/", "link-local"],
    ["http://224.0.0.1/", "multicast"],
    ["http://[ff02::1]/", "multicast"],
    ["http://0.0.0.0/", "unspecified"],
    ["http://[::]/", "unspecified"],
    ["http://255.255.255.255/", "broadcast"],
    ["http://[::ffff:169.254.169.254]/", "link-local"],
    ["http://[64:ff9b::a9fe:a9fe]/", "link-local"],
    ["http://[2002:a9fe:a9fe::1]/", "link-local"],
    ["http://[::a9fe:a9fe]/", "link-local"],
    ["http://2852039166/", "link-local"],
    ["http://0251.0376.0251.0376/", "link-local"],
    ["http://0xa9fea9fe/", "link-local"],
    ["http://0/", "unspecified"],
  ])("%s is refused as what it is: %s", async (url, kind) => {
    await expect(checkStreamUrl(url, policy)).rejects.toThrow(kind);
  });

  it.each([
    "http://127.0.0.1:8080/",
    "http://127.0.0.9:8080/",
    "http://2130706433:8080/",
    "http://localhost.:8080/",
    "https://[::1]:8443/",
    "https://[::ffff:127.0.0.1]:8443/",
    "https://192.168.1.5:8443/api",
    "https://[2001:db8::5]:8443/",
    "https://self.example:8443/",
  ])("%s is the appliance itself", async (url) => {
    const resolve = async (host: string) =>
      host === "localhost." ? [{ address: "127.0.0.1", family: 4 }] : policy.resolve!(host);
    await expect(checkStreamUrl(url, { ...policy, resolve })).rejects.toThrow("this device itself");
  });

  it("keeps only the addresses that may be reached", async () => {
    const { addresses } = await checkStreamUrl("http://mixed.example/", policy);
    expect(addresses).toEqual([{ address: "93.184.216.34", family: 4 }]);
  });
});

describe("an update's URL", () => {
  it("may lead to a public address", async () => {
    await expect(checkStreamUrl("https://radio.example/i.img", forUpdates)).resolves.toBeDefined();
  });

  it.each([
    "http://radio.example/",
    "https://house.example/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://[fd00::1]/",
    "https://10.1.2.3/",
    "https://100.64.0.1/",
    "https://[::ffff:10.0.0.1]/",
    "https://198.51.100.7/",
  ])("%s is refused", async (url) => {
    await expect(checkStreamUrl(url, forUpdates)).rejects.toMatchObject({ code: "invalid_input" });
  });
});
