/** Speaks HTTP byte by byte, for what no client library would send. */
import { connect, type Socket } from "node:net";

export interface RawReply {
  status: number;
  text: string;
}

/** Opens a connection, lets `write` send what it likes, and gives what came back until the server closed. */
export function converse(url: string, write: (socket: Socket) => void): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => write(socket));
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
    socket.on("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });
}
