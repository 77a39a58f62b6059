import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger };

const secrets = [
  "token",
  "access_token",
  "refresh_token",
  "password",
  "passphrase",
  "psk",
  "authorization",
  "cookie",
  '["set-cookie"]',
  '["x-api-key"]',
  "api_key",
  "private_key",
  "secret",
  "key",
  "jwt",
];

/** JSON lines on standard error, so that what a person reads on standard output stays readable. */
export function openLog(level: string, to?: DestinationStream): Logger {
  const below = (prefix: string, name: string) => `${prefix}${name.startsWith("[") ? "" : "."}${name}`;
  const paths = secrets.flatMap((name) => [name, below("*", name), below("*.*", name)]);
  const redact = { paths, censor: "[redacted]" };
  return pino({ level, redact, base: null }, to ?? pino.destination({ dest: 2, sync: false }));
}
