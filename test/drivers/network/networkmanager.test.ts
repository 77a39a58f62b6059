import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keyfileOf, terseFields } from "../../../drivers/network/keyfile.ts";
import { NetworkManager } from "../../../drivers/network/networkmanager.ts";
import { chooseNetwork } from "../../../drivers/network/open-network.ts";

const password = "correct horse battery";
let profiles: string;
let calls: string[][];
let known: { uuid: string; id: string; ssid: string; active: boolean }[];
let joinable: (id: string, signal: AbortSignal) => Promise<void>;
let network: NetworkManager;

/** Plays `nmcli` well enough for the calls that the driver makes. */
async function nmcli(args: readonly string[], signal: AbortSignal): Promise<string> {
  calls.push([...args]);
  const line = args.join(" ");
  if (line.includes("device wifi list")) {
    const active = known.find((profile) => profile.active);
    return active ? `no:elsewhere\nyes:${active.ssid.replace(/[:\\]/g, "\\$&")}\n` : "no:elsewhere\n";
  }
  if (line.includes("--get-values"))
    return `${known.find(({ uuid }) => uuid === args.at(-1))?.ssid.replace(/[:\\]/g, "\\$&")}\n`;
  if (line.endsWith("connection show"))
    return `${known.map((p) => `${p.uuid}:802-11-wireless:${p.active ? "yes" : "no"}:${p.id}`).join("\n")}\nlo:loopback:yes:lo\n`;
  if (line.startsWith("connection load")) {
    const text = await readFile(args.at(-1)!, "utf8");
    const ssid = Buffer.from(/^ssid=(.*);$/m.exec(text)![1]!.split(";").map(Number)).toString();
    const [, id] = /^id=(.*)$/m.exec(text)!;
    known.push({ uuid: /^uuid=(.*)$/m.exec(text)![1]!, id: id!, ssid, active: false });
  }
  if (line.includes("connection up")) {
    await joinable(args.at(-1)!, signal);
    for (const profile of known) profile.active = profile.id === args.at(-1);
  }
  if (line.startsWith("connection delete"))
    known = known.filter(({ id, uuid }) => ![id, uuid].includes(args.at(-1)!));
  return "";
}

beforeEach(async () => {
  profiles = await mkdtemp(join(tmpdir(), "minaret-nm-"));
  calls = [];
  known = [{ uuid: "u1", id: "home", ssid: "Home: 2", active: true }];
  joinable = async () => {};
  network = new NetworkManager({ run: nmcli, profiles, pollMs: 20 });
});
afterEach(async () => {
  await network.close();
  await network.close();
  expect(JSON.stringify(calls)).not.toContain(password);
  await rm(profiles, { recursive: true, force: true });
});

describe("NetworkManager", () => {
  it("says which network the device is in, colons included", async () => {
    expect(await network.look()).toEqual({ ssid: "Home: 2", known: true });
    known = [];
    expect(await network.look()).toEqual({ ssid: null, known: false });
  });

  it("joins by a profile that only its owner may read, and the password is on no command line", async () => {
    await network.join("Café", password);
    const [file] = await readdir(profiles);
    const path = join(profiles, file!);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).toContain(`psk=${password}`);
    expect(await network.look()).toEqual({ ssid: "Café", known: true });
  });

  it("forgets the older profile of a network that was joined again", async () => {
    await network.join("Home: 2", password);
    expect(known.map(({ ssid }) => ssid)).toEqual(["Home: 2"]);
    expect(known[0]?.id).not.toBe("home");
  });

  it("keeps nothing of a network that was not joined, and finds back", async () => {
    joinable = async (id) => {
      if (id !== "home") throw new Error("Secrets were required");
    };
    await expect(network.join("New", password)).rejects.toMatchObject({ code: "unavailable" });
    await network.abandon();
    expect(await readdir(profiles)).toEqual([]);
    expect(known.map(({ id }) => id)).toEqual(["home"]);
    await network.goBack("Home: 2");
    expect((await network.look()).ssid).toBe("Home: 2");
    await expect(network.goBack("Elsewhere")).rejects.toMatchObject({ code: "unavailable" });
  });

  it("gives up an attempt under way", async () => {
    joinable = (_, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    const attempt = network.join("Far", password);
    attempt.catch(() => {});
    await vi.waitFor(() => expect(calls.at(-1)).toContain("up"));
    await network.abandon();
    await expect(attempt).rejects.toThrow("Far could not be joined");
    expect(await readdir(profiles)).toEqual([]);
  });

  it("opens a hotspot with a password of its own, which is no network that it is in", async () => {
    known = [];
    const hotspot = await network.openHotspot();
    expect(hotspot.password).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.stringify(calls)).not.toContain(hotspot.password);
    expect(await network.look()).toEqual({ ssid: null, known: false });
  });

  it("tells when the network goes and comes by itself", async () => {
    const heard: (string | null)[] = [];
    await network.open();
    network.listen((ssid) => heard.push(ssid));
    known[0]!.active = false;
    await vi.waitFor(() => expect(heard).toEqual([null]));
    known[0]!.active = true;
    await vi.waitFor(() => expect(heard).toEqual([null, "Home: 2"]));
  });

  it("is unavailable where nothing answers", async () => {
    const silent = new NetworkManager({ run: () => Promise.reject(new Error("ENOENT")), profiles });
    await expect(silent.open()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is chosen only on a device", async () => {
    expect((await chooseNetwork("networkmanager", false)).name).toBe("memory");
    expect((await chooseNetwork("auto", true)).name).toBe("networkmanager");
  });
});

describe("profiles", () => {
  const profile = { id: "x", uuid: "u", mode: "infrastructure" } as const;

  it("an open network has no security section", () => {
    expect(keyfileOf({ ...profile, ssid: "Open", password: "" })).not.toContain("security");
  });

  it("leading spaces and backslashes of a password survive the file's own escapes", () => {
    expect(keyfileOf({ ...profile, ssid: "x", password: "  a\\b" })).toContain("psk=\\s\\sa\\\\b");
  });

  it("no network's name can write a line of its own", () => {
    const text = keyfileOf({ ...profile, ssid: "a\n[b]", password: "" });
    expect(text).toContain("ssid=97;10;91;98;93;");
  });

  it("a terse line is taken apart at bare colons only", () => {
    expect(terseFields("yes:a\\:b\\\\:c")).toEqual(["yes", "a:b\\", "c"]);
  });
});
