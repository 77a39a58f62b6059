import { DomainError } from "../machines/errors.ts";
import { type Exchange, isLocal } from "./exchange.ts";
import type { Upgrade } from "./gateway.ts";
import type { Metrics } from "./metrics.ts";

export type Page = (exchange: Exchange<unknown, unknown>, path: string) => boolean | Promise<boolean>;

export interface OutsideOptions {
  metrics: Metrics;
  upgrades: ReadonlyMap<string, Upgrade>;
  /** Asked in turn until one has answered. */
  pages: readonly Page[];
}

/** What a service serves beside its table: figures for this machine's own eyes, and pages. */
export function outside({ metrics, upgrades, pages }: OutsideOptions): Page {
  return async (exchange, path) => {
    if (path === "/metrics") return sendMetrics(exchange, metrics);
    if (upgrades.has(path)) throw new DomainError("invalid_input", "Upgrade: this address takes a WebSocket");
    for (const page of pages) if (await page(exchange, path)) return true;
    return false;
  };
}

async function sendMetrics(exchange: Exchange<unknown, unknown>, metrics: Metrics): Promise<boolean> {
  if (!isLocal(exchange.request)) return false;
  const text = await metrics.text();
  exchange.bytes(200, "text/plain; version=0.0.4; charset=utf-8", Buffer.from(text));
  return true;
}
