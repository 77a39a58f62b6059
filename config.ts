import { join, resolve } from "node:path";
import { z } from "zod";

/** What stops the start: every bad variable in one message. */
export class ConfigError extends Error {}

const onOff = z.enum(["on", "off"]).transform((value) => value === "on");

const listener = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const plain = url && ["http:", "https:"].includes(url.protocol) && url.pathname === "/" && !url.username;
  if (!url || !plain) {
    context.addIssue(`${JSON.stringify(value)} is not an address like https://0.0.0.0:8443`);
    return z.NEVER;
  }
  const tls = url.protocol === "https:";
  return {
    tls,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port ? Number(url.port) : tls ? 443 : 80,
  };
});

export type Listener = z.output<typeof listener>;

const listeners = z
  .string()
  .transform((value) => value.split(",").map((part) => part.trim()))
  .pipe(z.array(listener).min(1));

const applianceListeners = listeners.refine(
  (all) =>
    all.every(({ tls, host }) => tls || host === "localhost" || host === "::1" || host.startsWith("127.")),
  "plain http is for loopback addresses only",
);

const httpUrl = z.url({ protocol: /^https?$/, error: "is not an http or https address" }).optional();

/** Variables of parts that are still to come: accepted, so that a shared environment file works, and named at the start. */
const notYet = ["MQTT_URL", "SOC_LLM_URL", "SOC_LLM_KEY", "SOC_SYSLOG_LISTEN"] as const;

const schema = z.object({
  MINARET_HOME: z.string().min(1).default("./data"),
  MINARET_DEVICE: onOff.default(false),
  MINARET_INSPECTOR: z.enum(["off", "read", "write"]).default("off"),
  MINARET_LIMITS: onOff.default(true),
  MINARET_LOG: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  APPLIANCE_LISTEN: applianceListeners.prefault("https://0.0.0.0:8443,http://127.0.0.1:8080"),
  APPLIANCE_CARD: z.string().min(1).optional(),
  APPLIANCE_AUDIO: z.enum(["auto", "mpv", "silent"]).default("auto"),
  APPLIANCE_NFC: z.enum(["auto", "memory", "pcsc"]).default("auto"),
  APPLIANCE_CLOCK: z.enum(["auto", "memory", "system"]).default("auto"),
  APPLIANCE_POWER: z.enum(["auto", "memory", "system"]).default("auto"),
  APPLIANCE_NETWORK: z.enum(["auto", "memory", "networkmanager"]).default("auto"),
  APPLIANCE_DISPLAY: z.enum(["auto", "memory", "framebuffer"]).default("auto"),
  APPLIANCE_OTA_KEY: z.string().min(1).optional(),
  APPLIANCE_OTA_PRIVATE: onOff.default(false),
  APPLIANCE_MDNS: onOff.optional(),
  SOC_LISTEN: listeners.prefault("http://127.0.0.1:8000"),
  SOC_TLS_CERT: z.string().min(1).optional(),
  SOC_TLS_KEY: z.string().min(1).optional(),
  SOC_MODE: z.enum(["dummy", "dry_run", "real"]).default("real"),
  SOC_STORE: z
    .union([z.enum(["sqlite", "none"]), z.string().regex(/^mongodb(\+srv)?:\/\//)], {
      error: "is neither sqlite, none nor a mongodb:// address",
    })
    .default("sqlite"),
  SOC_ADMIN_PASSWORD: z.string().min(10, "needs at least 10 characters").optional(),
  SOC_KEYS: z.string().min(1).optional(),
  SOC_EDR_URL: httpUrl,
  SOC_EDR_TOKEN: z.string().min(1).optional(),
  SOC_NOTIFY_URL: httpUrl,
  ...Object.fromEntries(notYet.map((name) => [name, z.string().optional()])),
});

export type Config = ReturnType<typeof readConfig>;

/** Reads every variable of Minaret once; nothing else does. Drivers look only at the system's own, such as PATH. */
export function readConfig(env: Record<string, string | undefined>) {
  const known = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")));
  const mistakes = known.success
    ? []
    : known.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`);
  for (const name of Object.keys(env)) {
    const ours = /^(MINARET|APPLIANCE|SOC)_/.test(name);
    if (ours && !(name in schema.shape) && name !== "MINARET_CORPORA")
      mistakes.push(`${name}: is not a variable of Minaret`);
  }
  if (known.success) mistakes.push(...contradictions(known.data));
  if (!known.success || mistakes.length > 0) {
    throw new ConfigError(["The configuration is wrong:", ...mistakes.map((line) => `  ${line}`)].join("\n"));
  }
  const value = known.data;
  const home = resolve(value.MINARET_HOME);
  return {
    home,
    device: value.MINARET_DEVICE,
    inspector: value.MINARET_INSPECTOR,
    limits: value.MINARET_LIMITS,
    logLevel: value.MINARET_LOG,
    /** Set, but nothing uses them yet. */
    unused: notYet.filter((name) => env[name]),
    appliance: {
      home: join(home, "appliance"),
      listen: value.APPLIANCE_LISTEN,
      card: value.APPLIANCE_CARD ? resolve(value.APPLIANCE_CARD) : join(home, "appliance", "card"),
      audio: value.APPLIANCE_AUDIO,
      nfc: value.APPLIANCE_NFC,
      clock: value.APPLIANCE_CLOCK,
      power: value.APPLIANCE_POWER,
      network: value.APPLIANCE_NETWORK,
      display: value.APPLIANCE_DISPLAY,
      otaKey: value.APPLIANCE_OTA_KEY,
      otaPrivate: value.APPLIANCE_OTA_PRIVATE,
      mdns: value.APPLIANCE_MDNS ?? value.MINARET_DEVICE,
    },
    soc: {
      home: join(home, "soc"),
      listen: value.SOC_LISTEN,
      tls:
        value.SOC_TLS_CERT && value.SOC_TLS_KEY ? { cert: value.SOC_TLS_CERT, key: value.SOC_TLS_KEY } : null,
      mode: value.SOC_MODE,
      store: value.SOC_STORE,
      adminPassword: value.SOC_ADMIN_PASSWORD,
      keys: value.SOC_KEYS ? resolve(value.SOC_KEYS) : join(home, "soc", "keys"),
      edr: value.SOC_EDR_URL ? { url: value.SOC_EDR_URL, token: value.SOC_EDR_TOKEN } : null,
      notifyUrl: value.SOC_NOTIFY_URL,
    },
  };
}

function contradictions(value: z.output<typeof schema>): string[] {
  const found: string[] = [];
  if (value.SOC_STORE === "none" && value.SOC_MODE !== "dummy")
    found.push("SOC_STORE: none is for dummy mode only");
  const needsTls = value.SOC_LISTEN.some(({ tls }) => tls);
  for (const name of ["SOC_TLS_CERT", "SOC_TLS_KEY"] as const) {
    if (needsTls && !value[name]) found.push(`${name}: is needed for an https address in SOC_LISTEN`);
  }
  return found;
}
