/** Says `minaret.local` on the local network. A network that does not take it is no failure. */
export interface Mdns {
  open(port: number, tls: boolean): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export class NoMdns implements Mdns {
  async open(): Promise<void> {}
  async close(): Promise<void> {}
}
