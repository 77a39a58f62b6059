import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { listeningPort } from "../free-port.ts";
import { startService } from "../service.ts";
import { minaret } from "./run-command.ts";

const scratch = mkdtempSync(join(tmpdir(), "minaret-command-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const at = (name: string) => join(scratch, name);

describe("the command line", () => {
  it.each(["--help", "-h"])("explains itself at %s", async (flag) => {
    const { code, out } = await minaret([flag]);
    expect(code).toBe(0);
    for (const command of ["appliance", "soc", "doctor", "backup", "restore", "image", "verify"])
      expect(out).toContain(`minaret ${command}`);
  });

  it("tells its version, and nothing but that", async () => {
    for (const flag of ["--version", "-v"])
      expect(await minaret([flag])).toEqual({ code: 0, out: `${manifest.version}\n`, err: "" });
  });

  it("explains a command instead of running it when it is asked to", async () => {
    const { code, out } = await minaret(["backup", "--help"], { MINARET_HOME: at("nothing") });
    expect(code).toBe(0);
    expect(out).toContain("minaret backup FOLDER");
  });

  it.each([["dance"], ["--dance"], ["constructor"]])("refuses the command %s with the help", async (word) => {
    const { code, out, err } = await minaret([word]);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(`There is no command "${word}"`);
    expect(err).toContain("minaret appliance");
  });

  it("does not start a service that was given words it would ignore", async () => {
    const { code, err } = await minaret(["appliance", "--port", "80"], { MINARET_HOME: at("nothing") });
    expect(code).toBe(2);
    expect(err).toContain("--port 80");
    expect(existsSync(at("nothing"))).toBe(false);
  });

  it("names every wrong variable in one message, and touches nothing", async () => {
    const { code, out, err } = await minaret(["appliance"], {
      MINARET_HOME: at("nothing"),
      SOC_MODE: "wet",
      APPLIANCE_LISTEN: "http://0.0.0.0:80",
      MINARET_LIMIT: "off",
    });
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err.match(/The configuration is wrong/g)).toHaveLength(1);
    for (const name of ["SOC_MODE", "APPLIANCE_LISTEN", "MINARET_LIMIT"]) expect(err).toContain(name);
    expect(err).not.toContain("    at ");
    expect(existsSync(at("nothing"))).toBe(false);
  });

  it("says which parts serve here, without making anything", async () => {
    const env = { MINARET_HOME: at("nothing"), APPLIANCE_AUDIO: "silent", MQTT_URL: "mqtt://127.0.0.1" };
    const { code, out } = await minaret(["doctor"], env);
    expect(code).toBe(0);
    expect(out).toMatch(/audio +mpv +\w+ +→ silence/);
    expect(out).toMatch(/NFC reader +pcscd +\w+ +→ the stand-in/);
    expect(out).toContain("MINARET_DEVICE is off");
    expect(out).toContain("not used by this release: MQTT_URL");
    expect(existsSync(at("nothing"))).toBe(false);
  });

  it("says in one sentence that an address is taken, and leaves the home as it was", async () => {
    const other = createServer();
    const port = await listeningPort(other);
    const home = at("taken");
    const env = { MINARET_HOME: home, APPLIANCE_LISTEN: `http://127.0.0.1:${port}` };
    const { code, out, err } = await minaret(["appliance"], env);
    other.close();
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toBe(
      `APPLIANCE_LISTEN: 127.0.0.1:${port} cannot be used, another program listens there already\n`,
    );
    expect(existsSync(home)).toBe(false);
  });
});

describe("backup and restore", () => {
  it("copies a running appliance, and brings it back at the next start", async () => {
    const home = at("kept");
    const folder = at("copy");
    const add = (service: { appliance: string; token: string }, name: string) =>
      fetch(`${service.appliance}/api/radio/stations`, {
        method: "POST",
        headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
        body: JSON.stringify({ name, url: "http://192.0.2.1/radio" }),
      }).then(({ status }) => status);
    const names = async (service: { appliance: string }) => {
      const reply = await fetch(`${service.appliance}/api/radio/stations`);
      return ((await reply.json()) as { stations: { name: string }[] }).stations.map(({ name }) => name);
    };
    const first = await startService("appliance", { home });
    try {
      expect(await add(first, "before")).toBe(200);
      expect(await minaret(["backup", folder], { MINARET_HOME: home })).toMatchObject({ code: 0 });
      expect(await add(first, "after")).toBe(200);
      expect(await minaret(["restore", folder], { MINARET_HOME: home })).toMatchObject({ code: 0 });
      expect(await names(first)).toEqual(["before", "after"]);
    } finally {
      await first.stop();
    }
    expect(statSync(folder).mode & 0o077).toBe(0);
    const second = await startService("appliance", { home, token: first.token });
    try {
      expect(await names(second)).toEqual(["before"]);
      expect(await add(second, "goes on")).toBe(200);
    } finally {
      await second.stop();
    }
  });

  it("says what is missing without a stack", async () => {
    for (const command of ["backup", "restore"]) {
      const { code, err } = await minaret([command], { MINARET_HOME: at("nothing") });
      expect(code).toBe(1);
      expect(err).toMatch(new RegExp(`^Say .*minaret ${command} FOLDER\n$`));
    }
  });
});

describe("minaret image", () => {
  it("makes a key that only its owner can read, and never overwrites one", async () => {
    expect(await minaret(["image", "--make-key", at("key")])).toMatchObject({ code: 0 });
    expect(statSync(at("key")).mode & 0o777).toBe(0o600);
    const before = readFileSync(at("key"), "utf8");
    const again = await minaret(["image", "--make-key", at("key")]);
    expect(again.code).toBe(1);
    expect(again.err).toContain("EEXIST");
    expect(again.err).not.toContain("    at ");
    expect(readFileSync(at("key"), "utf8")).toBe(before);
  });

  it("explains itself, and says which option it does not know", async () => {
    expect((await minaret(["image", "--help"])).out).toContain("--make-key FILE");
    expect(await minaret(["image"])).toMatchObject({ code: 2 });
    const { code, err } = await minaret(["image", "--sign"]);
    expect(code).toBe(1);
    expect(err).toContain("--sign");
    expect(err).not.toContain("    at ");
  });

  it("names a key that is none", async () => {
    writeFileSync(at("none"), "no key");
    const { code, err } = await minaret(["image", "--key", at("none"), "--out", at("image")]);
    expect(code).toBe(1);
    expect(err).toContain(at("none"));
    expect(err).not.toContain("    at ");
    expect(existsSync(at("image"))).toBe(false);
  });
});
