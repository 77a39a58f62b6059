import { createServer } from "node:net";
import type { Listener } from "../config.ts";
import { DomainError } from "../machines/errors.ts";

const reasons: Record<string, string> = {
  EADDRINUSE: "another program listens there already",
  EACCES: "this user may not listen there",
  EADDRNOTAVAIL: "this machine has no such address",
};

/** Tries every address before anything is started: a person who starts Minaret twice is told so at once, in a sentence. */
export async function checkAddresses(variable: string, listeners: readonly Listener[]): Promise<void> {
  for (const { host, port } of listeners) {
    const error = await tryAddress(host, port);
    if (error)
      throw new DomainError(
        "unavailable",
        `${variable}: ${host}:${port} cannot be used, ${reasons[error.code ?? ""] ?? error.message}`,
        { cause: error },
      );
  }
}

function tryAddress(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}
