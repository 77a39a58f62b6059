import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DomainError } from "../../machines/errors.ts";
import { keyfileOf, terseFields } from "./keyfile.ts";
import type { Hotspot, NetworkDriver } from "./network.ts";

/** Runs `nmcli` and gives what it printed; tests give their own. */
export type RunNmcli = (args: readonly string[], signal: AbortSignal) => Promise<string>;

const runNmcli: RunNmcli = async (args, signal) =>
  (
    await promisify(execFile)("nmcli", [...args], {
      signal,
      timeout: 70_000,
      env: { LC_ALL: "C", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    })
  ).stdout;

interface Attempt {
  id: string;
  file: string;
  stop: AbortController;
}

/** NetworkManager through `nmcli`, arguments as a list, passwords only in profile files. */
export class NetworkManager implements NetworkDriver {
  readonly name = "networkmanager";
  private readonly run: RunNmcli;
  private readonly profiles: string;
  private readonly listeners = new Set<(ssid: string | null) => void>();
  private readonly pollMs: number;
  private readonly closing = new AbortController();
  private attempt: Attempt | null = null;
  private last: string | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: { run?: RunNmcli; profiles?: string; pollMs?: number } = {}) {
    this.run = options.run ?? runNmcli;
    this.profiles = options.profiles ?? "/etc/NetworkManager/system-connections";
    this.pollMs = options.pollMs ?? 10_000;
  }

  async open(): Promise<void> {
    try {
      this.last = (await this.look()).ssid;
    } catch (cause) {
      throw new DomainError("unavailable", "NetworkManager does not answer", { cause });
    }
    this.timer = setInterval(() => void this.poll(), this.pollMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.listeners.clear();
    this.closing.abort();
  }

  async look(): Promise<{ ssid: string | null; known: boolean }> {
    const profiles = await this.wirelessProfiles();
    const active = await this.nmcli(
      "--terse",
      "--fields",
      "ACTIVE,SSID",
      "device",
      "wifi",
      "list",
      "--rescan",
      "no",
    );
    const mine = rows(active).find(([isActive]) => isActive === "yes");
    const hotspot = profiles.some(({ id, active }) => active && id.startsWith("minaret-hotspot"));
    return {
      ssid: hotspot ? null : (mine?.[1] ?? null),
      known: profiles.some(({ id }) => !id.startsWith("minaret-hotspot")),
    };
  }

  async join(ssid: string, password: string): Promise<void> {
    await this.abandon();
    const id = `minaret-${randomBytes(4).toString("hex")}`;
    const attempt = { id, file: this.fileOf(id), stop: new AbortController() };
    this.attempt = attempt;
    const before = await this.wirelessProfiles();
    await this.write({ id, ssid, password, mode: "infrastructure" });
    await this.up(id, attempt.stop.signal, `${ssid} could not be joined`);
    this.attempt = null;
    // Older profiles of the same network would compete with the new password.
    for (const { uuid, ssid: known } of before) {
      if (known === ssid) await this.nmcli("connection", "delete", "uuid", uuid).catch(() => {});
    }
    this.last = ssid;
  }

  async abandon(): Promise<void> {
    const { attempt } = this;
    if (!attempt) return;
    this.attempt = null;
    attempt.stop.abort();
    await this.nmcli("connection", "delete", "id", attempt.id).catch(() => {});
    await rm(attempt.file, { force: true });
  }

  async goBack(ssid: string): Promise<void> {
    const known = (await this.wirelessProfiles()).find((profile) => profile.ssid === ssid);
    if (!known) throw new DomainError("unavailable", `${ssid} is not known`);
    await this.up(known.id, this.closing.signal, `${ssid} could not be joined again`);
    this.last = ssid;
  }

  async openHotspot(): Promise<Hotspot> {
    const id = "minaret-hotspot";
    const hotspot = { ssid: "minaret-setup", password: randomBytes(6).toString("hex") };
    await this.nmcli("connection", "delete", "id", id).catch(() => {});
    await this.write({ id, ...hotspot, mode: "ap" });
    await this.up(id, this.closing.signal, "the hotspot could not be opened");
    return hotspot;
  }

  listen(listener: (ssid: string | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private async poll(): Promise<void> {
    if (this.attempt) return;
    const found = await this.look().catch(() => null);
    if (!found || found.ssid === this.last) return;
    this.last = found.ssid;
    for (const listener of this.listeners) listener(found.ssid);
  }

  private async wirelessProfiles() {
    const list = await this.nmcli("--terse", "--fields", "UUID,TYPE,ACTIVE,NAME", "connection", "show");
    const profiles = rows(list).filter(([, type]) => type === "802-11-wireless");
    return Promise.all(
      profiles.map(async ([uuid = "", , active, id = ""]) => {
        const detail = await this.nmcli(
          "--terse",
          "--get-values",
          "802-11-wireless.ssid",
          "connection",
          "show",
          "uuid",
          uuid,
        );
        return { uuid, id, active: active === "yes", ssid: terseFields(detail.trimEnd()).join(":") };
      }),
    );
  }

  private async write(profile: Omit<Parameters<typeof keyfileOf>[0], "uuid">): Promise<void> {
    const file = this.fileOf(profile.id);
    try {
      await writeFile(file, keyfileOf({ ...profile, uuid: randomUUID() }), { mode: 0o600, flag: "w" });
      await this.nmcli("connection", "load", file);
    } catch (cause) {
      throw new DomainError("unavailable", "the network's profile could not be written", { cause });
    }
  }

  private async up(id: string, signal: AbortSignal, failure: string): Promise<void> {
    try {
      await this.run(
        ["--wait", "60", "connection", "up", "id", id],
        AbortSignal.any([signal, this.closing.signal]),
      );
    } catch (cause) {
      throw new DomainError("unavailable", failure, { cause });
    }
  }

  private nmcli(...args: string[]): Promise<string> {
    return this.run(args, this.closing.signal);
  }

  private fileOf(id: string): string {
    return join(this.profiles, `${id}.nmconnection`);
  }
}

function rows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(terseFields);
}
