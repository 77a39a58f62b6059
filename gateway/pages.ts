/** Serves the built pages. Only files found in the folder have an address, so no path can lead out of it. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Exchange } from "./exchange.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

interface Page {
  type: string;
  etag: string;
  cache: string;
  plain: Buffer;
  gzip: Buffer | undefined;
}

const hint = "The pages are not built yet: npm start builds them. The API is there all the same.\n";

export class Pages {
  readonly #folder: string;
  #files: Map<string, string> | undefined;
  readonly #loaded = new Map<string, Promise<Page>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True when the path was answered; an address of the page's own router gets the page itself. */
  async serve(exchange: Exchange<unknown, unknown>, path: string): Promise<boolean> {
    const { method } = exchange.request;
    if (method !== "GET" && method !== "HEAD") return false;
    this.#files ??= await listFiles(this.#folder);
    const files = this.#files;
    if (files.size === 0) {
      this.#files = undefined;
      sendText(exchange, hint);
      return true;
    }
    const wanted = files.get(decoded(path)) ?? (extname(path) === "" ? files.get("/index.html") : undefined);
    if (wanted === undefined) return false;
    let page = this.#loaded.get(wanted);
    if (!page) {
      page = load(wanted);
      this.#loaded.set(wanted, page);
    }
    send(exchange, await page);
    return true;
  }
}

function send(exchange: Exchange<unknown, unknown>, page: Page): void {
  const common = ["ETag", page.etag, "Cache-Control", page.cache, "Vary", "Accept-Encoding"];
  if (exchange.header("if-none-match")?.includes(page.etag)) {
    exchange.begin(304, common, "page");
    exchange.response.end();
    return;
  }
  const zipped = page.gzip && /\bgzip\b/.test(exchange.header("accept-encoding") ?? "");
  const bytes = zipped ? page.gzip! : page.plain;
  const headers = [...common, "Content-Type", page.type, "Content-Length", String(bytes.length)];
  if (zipped) headers.push("Content-Encoding", "gzip");
  exchange.begin(200, headers, "page");
  exchange.response.end(bytes);
}

function sendText(exchange: Exchange<unknown, unknown>, text: string): void {
  const length = String(Buffer.byteLength(text));
  exchange.begin(
    200,
    ["Content-Type", types[".txt"]!, "Content-Length", length, "Cache-Control", "no-store"],
    "page",
  );
  exchange.response.end(text);
}

async function load(file: string): Promise<Page> {
  const plain = await readFile(file);
  const type = types[extname(file)] ?? "application/octet-stream";
  const zips = /^text|json|svg|manifest/.test(type) && plain.length > 1_000;
  return {
    type,
    plain,
    gzip: zips ? await promisify(gzip)(plain) : undefined,
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    // The bundler puts a hash into the names of its assets; the page itself is asked for every time.
    cache: file.includes(`${sep}assets${sep}`) ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

async function listFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(`/${relative(folder, file).split(sep).join("/")}`, file);
  }
  const index = files.get("/index.html");
  if (index) files.set("/", index);
  return files;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
