import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { DomainError } from "../machines/errors.ts";
import type { UploadBody } from "./route.ts";

export interface UploadBounds {
  maxBytes: number;
  /** The longest wait for the next bytes while they are wanted. */
  idleMs: number;
  types?: readonly string[] | undefined;
}

const refuse = (message: string) => new DomainError("invalid_input", message, { field: "body" });

/** Hands a body on as it arrives. An error of the stream leaves the socket open, so that the reply can be sent. */
export function openUpload(request: IncomingMessage, { maxBytes, idleMs, types }: UploadBounds): UploadBody {
  const { headers } = request;
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  const length = headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  if (types && !types.includes(type)) throw refuse(`body: the content type must be ${types.join(" or ")}`);
  const tooLarge = () => refuse(`body: must be at most ${maxBytes} bytes`);
  if (length !== undefined && length > maxBytes) throw tooLarge();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const stream = new Readable({
    read() {
      disarm();
      timer = setTimeout(() => stream.destroy(refuse("body: did not arrive in time")), idleMs);
      request.resume();
    },
    destroy(error, callback) {
      disarm();
      request.off("data", take).off("end", end).off("close", broke);
      callback(error);
    },
  });
  const take = (chunk: Buffer) => {
    size += chunk.length;
    timer?.refresh();
    if (size > maxBytes) stream.destroy(tooLarge());
    else if (!stream.push(chunk)) {
      disarm();
      request.pause();
    }
  };
  const end = () => {
    disarm();
    stream.push(null);
  };
  const broke = () => {
    if (!request.complete) stream.destroy(refuse("body: broke off"));
  };
  request.on("data", take).on("end", end).on("close", broke).pause();
  // Whoever was to read it may have refused already; without a listener the error would end the process.
  stream.on("error", () => {});
  return { stream, length, type, encoding: headers["content-encoding"] };
}
