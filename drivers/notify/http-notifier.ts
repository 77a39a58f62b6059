import { callAdapter } from "../http-adapter/http-adapter.ts";
import { type Outcome, outcomeOfCall } from "../http-adapter/outcome.ts";
import type { Notification, Notifier } from "./notify.ts";

/** Posts each notification as JSON to one address. */
export class HttpNotifier implements Notifier {
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send(
    note: Notification,
    key: string,
    { timeoutMs = 10_000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<Outcome> {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const body = JSON.stringify(note);
    const call = { method: "POST", url: this.#url, headers, body, timeoutMs, maxBytes: 64 * 1024, signal };
    return outcomeOfCall(() => callAdapter(call));
  }
}

/** Null when no address is configured: then nobody is told. */
export function openNotifier(url: string | undefined): Notifier | null {
  return url === undefined ? null : new HttpNotifier(url);
}
