import type { Bonjour } from "bonjour-service";
import type { Mdns } from "./mdns.ts";

/** Announces the page by multicast DNS; the package is loaded when it is first needed. */
export class BonjourMdns implements Mdns {
  private readonly onError: (error: Error) => void;
  private bonjour: Bonjour | null = null;

  constructor(onError: (error: Error) => void) {
    this.onError = onError;
  }

  async open(port: number, tls: boolean): Promise<void> {
    try {
      const { Bonjour } = await import("bonjour-service");
      this.bonjour = new Bonjour({}, this.onError);
      const type = tls ? "https" : "http";
      // Without probing: the name belongs to the device, a second one in the house is told apart by its address.
      this.bonjour.publish({ name: "Minaret", type, port, host: "minaret.local", probe: false });
    } catch (error) {
      this.onError(error as Error);
    }
  }

  async close(): Promise<void> {
    const { bonjour } = this;
    this.bonjour = null;
    if (!bonjour) return;
    await new Promise<void>((resolve) => bonjour.unpublishAll(() => bonjour.destroy(() => resolve())));
  }
}
