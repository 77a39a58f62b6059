import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Config } from "../config.ts";

interface Finding {
  part: string;
  real: string;
  found: boolean;
  /** What serves with this configuration. */
  serves: string;
}

/** Says which real parts were found, and what serves where one is missing. Touches nothing. */
export async function doctor(_operands: string[], config: Config): Promise<number> {
  const findings = examine(config);
  const width = (pick: (finding: Finding) => string) => Math.max(...findings.map((f) => pick(f).length));
  const columns = { part: width((f) => f.part), real: width((f) => f.real) };
  for (const { part, real, found, serves } of findings) {
    console.log(
      `${part.padEnd(columns.part)}  ${real.padEnd(columns.real)}  ${found ? "found  " : "missing"}  → ${serves}`,
    );
  }
  if (!config.device)
    console.log("\nMINARET_DEVICE is off: nothing of this machine is set, slept, reconnected or drawn on.");
  if (config.unused.length > 0)
    console.log(`\nSet, but not used by this release: ${config.unused.join(", ")}`);
  return 0;
}

export function examine(config: Config): Finding[] {
  const { appliance, soc, device } = config;
  const hardware = (chosen: string, name: string, found: boolean) =>
    chosen === name || (chosen === "auto" && device && found) ? name : "the stand-in in memory";
  const mpv = onPath("mpv");
  const reader = existsSync("/run/pcscd/pcscd.comm");
  const framebuffer = isWritable("/dev/fb0");
  const rtc = existsSync("/dev/rtc0");
  return [
    {
      part: "audio",
      real: "mpv",
      found: mpv,
      serves:
        appliance.audio === "silent" || (appliance.audio === "auto" && !mpv) ? "silence in true time" : "mpv",
    },
    { part: "NFC reader", real: "pcscd", found: reader, serves: hardware(appliance.nfc, "pcsc", reader) },
    { part: "clock", real: "real-time clock", found: rtc, serves: hardware(appliance.clock, "system", true) },
    {
      part: "power",
      real: "rtcwake",
      found: onPath("rtcwake"),
      serves: hardware(appliance.power, "system", onPath("rtcwake")),
    },
    {
      part: "network",
      real: "NetworkManager",
      found: onPath("nmcli"),
      serves: hardware(appliance.network, "networkmanager", onPath("nmcli")),
    },
    {
      part: "screen",
      real: "framebuffer",
      found: framebuffer,
      serves: hardware(appliance.display, "framebuffer", framebuffer),
    },
    {
      part: "platform store",
      real: "MongoDB",
      found: soc.store.startsWith("mongodb"),
      serves: soc.store.startsWith("mongodb")
        ? "MongoDB"
        : soc.store === "none"
          ? "none"
          : "the embedded SQLite",
    },
    {
      part: "EDR adapter",
      real: "SOC_EDR_URL",
      found: soc.edr !== null,
      serves: soc.edr ? "the adapter" : "off",
    },
    {
      part: "notification",
      real: "SOC_NOTIFY_URL",
      found: soc.notifyUrl !== undefined,
      serves: soc.notifyUrl ? "the adapter" : "off",
    },
  ];
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
