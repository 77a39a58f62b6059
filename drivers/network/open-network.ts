import type { NetworkDriver } from "./network.ts";

/** The real part only on a device; elsewhere nothing on the host is ever reconnected. */
export async function chooseNetwork(
  wanted: "auto" | "networkmanager" | "memory",
  device: boolean,
): Promise<NetworkDriver> {
  if (device && wanted !== "memory") return new (await import("./networkmanager.ts")).NetworkManager();
  return new (await import("./memory.ts")).MemoryNetwork();
}
