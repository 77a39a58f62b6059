import { type Logger, pino } from "pino";

export type { Logger };

const secrets = ["token", "password", "authorization", "cookie", "access_token", "key", "secret", "api_key"];

/** JSON lines on standard error, so that what a person reads on standard output stays readable. */
export function openLog(level: string): Logger {
  const paths = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino(
    { level, redact: { paths: [...paths, 'req.headers["x-api-key"]'], censor: "[redacted]" }, base: null },
    pino.destination({ dest: 2, sync: false }),
  );
}
