import { describe, expect, it } from "vitest";
import { readConfig } from "../config.ts";

describe("the configuration", () => {
  it("has a default for everything", () => {
    const config = readConfig({ PATH: "/bin" });
    expect(config.appliance.listen).toEqual([
      { tls: true, host: "0.0.0.0", port: 8443 },
      { tls: false, host: "127.0.0.1", port: 8080 },
    ]);
    expect(config).toMatchObject({
      device: false,
      inspector: "off",
      limits: true,
      soc: { mode: "real", store: "sqlite" },
    });
  });

  it("names every bad variable in one message", () => {
    const read = () =>
      readConfig({
        SOC_MODE: "wet",
        MINARET_LIMITS: "perhaps",
        APPLIANCE_LISTEN: "ftp://x",
        SOC_EDR_URL: "x",
      });
    for (const name of ["SOC_MODE", "MINARET_LIMITS", "APPLIANCE_LISTEN", "SOC_EDR_URL"])
      expect(read).toThrow(name);
  });

  it("refuses plain http beyond loopback on the appliance", () => {
    expect(() => readConfig({ APPLIANCE_LISTEN: "http://0.0.0.0:8080" })).toThrow("loopback");
    expect(readConfig({ APPLIANCE_LISTEN: "http://[::1]:0" }).appliance.listen).toEqual([
      { tls: false, host: "::1", port: 0 },
    ]);
  });

  it("refuses a misspelt variable of its own, and leaves those of others alone", () => {
    expect(() => readConfig({ SOC_MODES: "real" })).toThrow("SOC_MODES");
    expect(() => readConfig({ MONGODB_URL: "x" })).not.toThrow();
  });

  it("refuses contradictions", () => {
    expect(() => readConfig({ SOC_STORE: "none" })).toThrow("dummy mode only");
    expect(() => readConfig({ SOC_LISTEN: "https://0.0.0.0:443" })).toThrow("SOC_TLS_CERT");
  });

  it("treats an empty variable as one that is not set", () => {
    expect(readConfig({ SOC_MODE: "" }).soc.mode).toBe("real");
  });
});
