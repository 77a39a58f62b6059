/** Reads JSON bodies that are bounded in size, time and depth. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { DomainError } from "../machines/errors.ts";

export interface BodyBounds {
  maxBytes: number;
  maxDepth: number;
  /** From the first look at the body to its last byte. */
  timeoutMs: number;
}

const refuse = (message: string) => new DomainError("invalid_input", message, { field: "body" });

/** Whether the request announces a body at all. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** The parsed object; `{}` when there is no body. */
export async function readJson(request: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
  if (!hasBody(request)) return {};
  const { headers } = request;
  if (!isJson(headers["content-type"])) throw refuse("body: the content type must be application/json");
  if (headers["content-encoding"] !== undefined) throw refuse("body: must not be compressed");
  if (Number(headers["content-length"] ?? 0) > bounds.maxBytes) throw tooLarge(bounds.maxBytes);
  const bytes = await readBytes(request, bounds);
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw refuse("body: must be UTF-8");
  if (depthOf(bytes) > bounds.maxDepth) throw refuse("body: is nested too deeply");
  const value = parse(bytes.toString());
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refuse("body: must be a JSON object");
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("body: is not valid JSON");
  }
}

/** Collects at most `maxBytes`; what stalls, breaks off or grows too large is refused. */
function readBytes(request: IncomingMessage, { maxBytes, timeoutMs }: BodyBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error: Error | null) => {
      clearTimeout(timer);
      request.off("data", take).off("end", end).off("error", broke).off("close", broke);
      if (error) reject(error);
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) finish(tooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const end = () => finish(null);
    const broke = () => finish(refuse("body: broke off"));
    const timer = setTimeout(() => finish(refuse("body: did not arrive in time")), timeoutMs);
    request.on("data", take).on("end", end).on("error", broke).on("close", broke);
  });
}

const tooLarge = (maxBytes: number) => refuse(`body: must be at most ${maxBytes} bytes`);

function isJson(type: string | undefined): boolean {
  if (type === undefined) return false;
  if (type === "application/json") return true;
  const [name, ...parameters] = type.toLowerCase().split(";");
  return (
    name?.trim() === "application/json" &&
    parameters.every((parameter) => /^\s*(charset="?utf-8"?)?\s*$/.test(parameter))
  );
}

const quote = 0x22;
const backslash = 0x5c;

/** How deeply brackets nest outside of strings: found before `JSON.parse` recurses into them. */
function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (quoted) {
      if (byte === backslash) i++;
      else if (byte === quote) quoted = false;
    } else if (byte === quote) quoted = true;
    else if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return deepest;
}
