export interface Hotspot {
  ssid: string;
  /** For the screen and the console; never for the log. */
  password: string;
}

/** Wireless networks. A password goes in and never comes out. `close` may be called twice. */
export interface NetworkDriver {
  readonly name: "networkmanager" | "memory";
  open(): Promise<void>;
  close(): Promise<void>;
  /** The network that the device is in, and whether it knows any. */
  look(): Promise<{ ssid: string | null; known: boolean }>;
  /** Resolves when the device is in the network; a second call or `abandon` ends an attempt under way. */
  join(ssid: string, password: string): Promise<void>;
  /** Ends the attempt and forgets its network, unless it was known before. */
  abandon(): Promise<void>;
  /** Back to a network that is known. */
  goBack(ssid: string): Promise<void>;
  openHotspot(): Promise<Hotspot>;
  /** Hears of networks that come and go by themselves. */
  listen(listener: (ssid: string | null) => void): () => void;
}
