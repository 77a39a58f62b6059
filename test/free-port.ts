import { type AddressInfo, createServer, type Server } from "node:net";

/** Listens on a free port of loopback, and says which. */
export function listeningPort(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** A port of loopback that was free a moment ago, for a program that has to keep its address across restarts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listeningPort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
