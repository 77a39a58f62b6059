import type { NfcDriver } from "./nfc.ts";
import { VirtualReader } from "./virtual-reader.ts";

/** PC/SC where it is asked for, or found on a real device; else a reader that the page moves. */
export async function chooseReader(which: "auto" | "memory" | "pcsc", device: boolean): Promise<NfcDriver> {
  if (which === "memory" || (which === "auto" && !device)) return new VirtualReader();
  return new (await import("./pcsc.ts")).PcscReader();
}
