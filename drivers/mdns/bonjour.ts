import type { EventEmitter } from "node:events";
import type { Bonjour } from "bonjour-service";
import type { Mdns } from "./mdns.ts";

/** Confines it to one interface or another port; tests stay on loopback. */
export interface MulticastOptions {
  interface?: string;
  bind?: string;
  port?: number;
}

/** Announces the page by multicast DNS; the package is loaded when it is first needed. */
export class BonjourMdns implements Mdns {
  private readonly onError: (error: Error) => void;
  private readonly network: MulticastOptions;
  private bonjour: Bonjour | null = null;

  constructor(onError: (error: Error) => void, network: MulticastOptions = {}) {
    this.onError = onError;
    this.network = network;
  }

  async open(port: number, tls: boolean): Promise<void> {
    try {
      const { Bonjour } = await import("bonjour-service");
      this.bonjour = new Bonjour(this.network, this.onError);
      // A port that cannot be bound is told on this emitter only, and without a listener it ends the process.
      const { server } = this.bonjour as unknown as { server: { mdns: EventEmitter } };
      server.mdns.on("error", this.onError);
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
