import { DomainError } from "../../machines/errors.ts";
import { type AdapterReply, callAdapter } from "../http-adapter/http-adapter.ts";
import { jsonOf, outcomeOfCall } from "../http-adapter/outcome.ts";
import type { Edr, EdrAction, EdrAnswer, EdrCall, Inventory } from "./edr.ts";
import { readInventory } from "./inventory.ts";

export interface HttpEdrOptions {
  url: string;
  token?: string | undefined;
  inventoryTimeoutMs?: number;
}

const inventoryBytes = 16 * 1024 * 1024;
const answerBytes = 64 * 1024;

/** What an adapter may say of an endpoint after the action, when it says something. */
const goals: Record<EdrAction, readonly string[]> = {
  isolate: ["isolated"],
  unisolate: ["unisolated", "released", "online", "offline"],
  scan: ["scanned", "online", "offline", "isolated"],
};
const done = ["ok", "success", "done", "completed", "confirmed"];
const underWay = ["accepted", "pending", "queued", "started", "running", "in_progress", "scanning"];
const denials = ["ok", "success", "confirmed"];

/** The adapter over HTTP: `GET /endpoints`, and `POST /endpoints/{id}/{action}` with an `Idempotency-Key`. */
export class HttpEdr implements Edr {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #inventoryTimeoutMs: number;
  #honoursKeys: boolean | undefined;

  constructor({ url, token, inventoryTimeoutMs = 10_000 }: HttpEdrOptions) {
    this.#base = url.replace(/\/+$/, "");
    this.#token = token;
    this.#inventoryTimeoutMs = inventoryTimeoutMs;
  }

  async inventory(): Promise<Inventory> {
    const outcome = await outcomeOfCall(() =>
      this.#call("GET", "/endpoints", {
        timeoutMs: this.#inventoryTimeoutMs,
        maxBytes: inventoryBytes,
        headers: {},
      }),
    );
    if (outcome.kind !== "answered") throw new DomainError("unavailable", outcome.error);
    const { idempotent, ...inventory } = readInventory(jsonOf(outcome.reply));
    this.#honoursKeys = idempotent;
    return inventory;
  }

  async honoursKeys(): Promise<boolean> {
    // Not said means no; not heard yet means that one must ask.
    if (this.#honoursKeys === undefined) await this.inventory().catch(() => {});
    return this.#honoursKeys ?? false;
  }

  async act(endpointId: string, action: EdrAction, call: EdrCall): Promise<EdrAnswer> {
    const { key, reason, timeoutMs, signal } = call;
    const path = `/endpoints/${encodeURIComponent(endpointId)}/${action}`;
    const headers = { "idempotency-key": key, "content-type": "application/json" };
    const body = JSON.stringify(reason === null ? {} : { reason });
    const outcome = await outcomeOfCall(() =>
      this.#call("POST", path, { timeoutMs, maxBytes: answerBytes, headers, body, signal }),
    );
    // A scan that was taken is all that was asked for: it has no end that the inventory would show.
    if (outcome.kind === "answered") {
      const answer = judged(action, outcome.reply);
      return action === "scan" && answer.outcome === "accepted"
        ? { ...answer, outcome: "confirmed" }
        : answer;
    }
    return { outcome: outcome.kind, error: outcome.error };
  }

  #call(
    method: string,
    path: string,
    rest: {
      timeoutMs: number;
      maxBytes: number;
      headers: Record<string, string>;
      body?: string;
      signal?: AbortSignal | undefined;
    },
  ): Promise<AdapterReply> {
    const headers = { ...rest.headers };
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`;
    return callAdapter({ ...rest, method, url: new URL(this.#base + path), headers });
  }
}

/** A status in the 200s confirms, unless the body says otherwise: some adapters answer 200 to everything. */
function judged(action: EdrAction, reply: AdapterReply): EdrAnswer {
  if (reply.status === 202) return { outcome: "accepted", receipt: receiptOf(reply) };
  if (reply.text.trim() === "") return { outcome: "confirmed", receipt: null };
  const body = jsonOf(reply);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { outcome: "unknown", error: "the adapter's answer is not a JSON object" };
  }
  const said = body as Record<string, unknown>;
  if (denials.some((name) => said[name] === false) || said.error) {
    return { outcome: "refused", error: `the adapter said no: ${briefly(said.error ?? said)}` };
  }
  if (said.status === undefined) return { outcome: "confirmed", receipt: body };
  const status = String(said.status).toLowerCase();
  if (done.includes(status) || goals[action].includes(status)) return { outcome: "confirmed", receipt: body };
  if (underWay.includes(status) || status === `${action.replace(/e$/, "")}ing`) {
    return { outcome: "accepted", receipt: body };
  }
  return { outcome: "unknown", error: `the adapter says that the endpoint is ${briefly(said.status)}` };
}

function receiptOf(reply: AdapterReply): unknown {
  return jsonOf(reply) ?? null;
}

function briefly(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 200);
}
