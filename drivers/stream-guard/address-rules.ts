import { promises as dns, type LookupAddress } from "node:dns";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Finds every address of a name; tests give their own to play a name server that changes its mind. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Where connections may go. Link-local, multicast, broadcast and unspecified addresses are refused by all. */
export interface GuardPolicy {
  schemes: readonly ("http:" | "https:")[];
  /** Whether private and loopback addresses may be reached: a radio in the house, yes; an update, no. */
  allowPrivate: boolean;
  /** The appliance's own ports, never reached at one of its own addresses. Asked at each connection. */
  ownPorts(): readonly number[];
  /** The system's resolver and interfaces when left out. */
  resolve?: Resolve;
  ownAddresses?: () => readonly string[];
}

/** An address that passed the rules, to be connected to as it stands. */
export interface PinnedAddress {
  address: string;
  family: 4 | 6;
}

const never = new Set(["unspecified", "linkLocal", "multicast", "broadcast"]);
const privately = new Set(["private", "uniqueLocal", "loopback", "carrierGradeNat"]);

export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true, verbatim: true });

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address));
}

/** An IPv4 address that travels inside an IPv6 one (mapped, NAT64, 6to4) is judged as what it is. */
function unwrapped(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed;
  const bytes = parsed.toByteArray();
  const range = parsed.range();
  if (range === "rfc6052" || range === "rfc6145") return new ipaddr.IPv4(bytes.slice(12));
  if (range === "6to4") return new ipaddr.IPv4(bytes.slice(2, 6));
  // The obsolete IPv4-compatible form ::a.b.c.d; :: and ::1 stay what they are.
  if (bytes.slice(0, 12).every((byte) => byte === 0) && (bytes[12] || bytes[13]))
    return new ipaddr.IPv4(bytes.slice(12));
  return parsed;
}

/** Why a connection to this address and port is refused, or null. */
export function refusedAddress(address: string, port: number, policy: GuardPolicy): string | null {
  if (!ipaddr.isValid(address) || address.includes("%")) return "is not an address that can be reached";
  const target = unwrapped(address);
  const range = target.range();
  const forbidden = never.has(range) || (!policy.allowPrivate && privately.has(range));
  if (forbidden) return `is ${range === "unspecified" ? "an" : "a"} ${words(range)} address`;
  if (!policy.allowPrivate && range !== "unicast") return `is not a public address`;
  if (!policy.ownPorts().includes(port)) return null;
  const own = (policy.ownAddresses ?? interfaceAddresses)();
  const isOwn = own.some(
    (entry) => ipaddr.isValid(entry) && ipaddr.process(entry).toString() === target.toString(),
  );
  return isOwn || range === "loopback" ? "is this device itself" : null;
}

function words(range: string): string {
  return range.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
