import { portOf } from "./check-url.ts";

/** What the player asked the proxy for: a tunnel, or one plain request in the form its server expects. */
export interface ProxyRequest {
  tunnel: boolean;
  hostname: string;
  port: number;
  authorization: string | null;
  /** The head to send on, for a plain request. */
  head: string;
}

export const maxHead = 16_384;

/** Where the head of an HTTP message ends in these bytes, or -1. */
export function headEnd(bytes: Buffer): number {
  const at = bytes.indexOf("\r\n\r\n");
  return at < 0 ? -1 : at + 4;
}

/** Reads the head of a request to a forward proxy; null where it is none that we serve. */
export function parseProxyRequest(head: string): ProxyRequest | null {
  const [first = "", ...lines] = head.trimEnd().split("\r\n");
  const match = /^(GET|HEAD|CONNECT) (\S+) HTTP\/1\.[01]$/.exec(first);
  if (!match) return null;
  const [, method = "", target = ""] = match;
  const fields = lines.map((line) => [line.slice(0, line.indexOf(":")).trim().toLowerCase(), line] as const);
  const authorization = fields.find(([name]) => name === "proxy-authorization")?.[1];
  const base = { authorization: authorization?.slice(authorization.indexOf(":") + 1).trim() ?? null };
  if (method === "CONNECT") {
    if (!/^[^/?#@\\]+:\d+$/.test(target) || !URL.canParse(`https://${target}`)) return null;
    const url = new URL(`https://${target}`);
    return { ...base, tunnel: true, hostname: url.hostname, port: portOf(url), head: "" };
  }
  if (!/^http:\/\//i.test(target) || target.includes("\\") || !URL.canParse(target)) return null;
  const url = new URL(target);
  if (url.username || url.password) return null;
  // One request per connection: a second one on it would reach this server unchecked.
  const kept = fields.filter(
    ([name]) => !name.startsWith("proxy-") && !["connection", "keep-alive", "upgrade", "host"].includes(name),
  );
  const sent = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...kept.map(([, line]) => line),
    "Connection: close",
  ];
  return {
    ...base,
    tunnel: false,
    hostname: url.hostname,
    port: portOf(url),
    head: `${sent.join("\r\n")}\r\n\r\n`,
  };
}
