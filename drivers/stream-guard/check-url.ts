import { isIP } from "node:net";
import { DomainError } from "../../machines/errors.ts";
import { type GuardPolicy, type PinnedAddress, refusedAddress, systemResolve } from "./address-rules.ts";

/** A URL in its one canonical form, with the addresses that it may be fetched from. */
export interface CheckedUrl {
  href: string;
  url: URL;
  addresses: readonly PinnedAddress[];
}

const resolveLimitMs = 3_000;
const maxUrl = 2_048;

function refuse(message: string): never {
  throw new DomainError("invalid_input", message, { field: "url" });
}

/** The form of a stream's URL, without asking the network. Only its `href` goes any further. */
function parseStreamUrl(text: string, policy: Pick<GuardPolicy, "schemes">): URL {
  if (text.length > maxUrl) refuse(`url is longer than ${maxUrl} characters`);
  // WHATWG parsing drops tabs and newlines and reads "\" as "/", other parsers do not: refuse where they differ.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\u2028\u2029\\]/.test(text))
    refuse("url holds control characters, spaces or backslashes");
  const url = URL.canParse(text) ? new URL(text) : refuse("url is not a valid URL");
  if (!(policy.schemes as readonly string[]).includes(url.protocol))
    refuse(`url must begin with ${policy.schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
  if (!/^https?:\/\/[^/]/i.test(text)) refuse("url has no host");
  if (url.username || url.password || /^https?:\/\/[^/?#]*@/i.test(text))
    refuse("url must not hold credentials");
  if (url.port === "0") refuse("url has no usable port");
  url.hash = "";
  return url;
}

/** The form and the addresses of a URL; throws `invalid_input` naming `url`. */
export async function checkStreamUrl(text: string, policy: GuardPolicy): Promise<CheckedUrl> {
  const url = parseStreamUrl(text, policy);
  const port = portOf(url);
  const addresses = await allowedAddresses(url.hostname, port, policy);
  return { href: url.href, url, addresses };
}

export function portOf(url: URL): number {
  return url.port ? Number(url.port) : url.protocol === "https:" ? 443 : 80;
}

/** Resolves a host of a URL and keeps the addresses that may be connected to; there is always at least one. */
export async function allowedAddresses(
  hostname: string,
  port: number,
  policy: GuardPolicy,
): Promise<readonly PinnedAddress[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await lookUp(host, policy);
  let why = "has no address";
  const allowed = found.filter(({ address }) => {
    const reason = refusedAddress(address, port, policy);
    if (reason) why = reason;
    return !reason;
  });
  if (allowed.length === 0) refuse(`url is refused: ${host} ${why}`);
  return allowed.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

async function lookUp(host: string, policy: GuardPolicy) {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), resolveLimitMs);
  try {
    return await Promise.race([(policy.resolve ?? systemResolve)(host), late]);
  } catch (cause) {
    throw new DomainError("invalid_input", `url is refused: ${host} cannot be resolved`, {
      field: "url",
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}
