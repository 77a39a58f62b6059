import { type Mdns, NoMdns } from "./mdns.ts";

/** Silent unless it was asked for; the package is loaded only then. */
export async function chooseMdns(on: boolean, onError: (error: Error) => void): Promise<Mdns> {
  return on ? new (await import("./bonjour.ts")).BonjourMdns(onError) : new NoMdns();
}
