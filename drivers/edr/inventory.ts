/** Reads an adapter's inventory, which may hold anything. */
import { DomainError } from "../../machines/errors.ts";
import type { Inventory, SeenEndpoint } from "./edr.ts";

/** More than that is not an inventory of endpoints but an attack on the store. */
const maxEndpoints = 20_000;
const statuses = ["online", "offline", "isolated"] as const;
const idForm = /^[A-Za-z0-9][\w.:-]{0,127}$/;

export function readInventory(body: unknown): Inventory & { idempotent: boolean } {
  const list = fieldOf(body, "endpoints");
  if (!Array.isArray(list)) throw new DomainError("unavailable", "the adapter's inventory is none");
  if (list.length > maxEndpoints) {
    throw new DomainError("unavailable", `the adapter's inventory has more than ${maxEndpoints} endpoints`);
  }
  const endpoints = new Map<string, SeenEndpoint>();
  for (const entry of list) {
    const endpoint = endpointOf(entry);
    if (endpoint && !endpoints.has(endpoint.id)) endpoints.set(endpoint.id, endpoint);
  }
  return {
    endpoints: [...endpoints.values()],
    skipped: list.length - endpoints.size,
    idempotent: fieldOf(body, "idempotency_keys") === true,
  };
}

function endpointOf(entry: unknown): SeenEndpoint | null {
  const id = fieldOf(entry, "id");
  if (typeof id !== "string" || !idForm.test(id)) return null;
  const status = fieldOf(entry, "status");
  return {
    id,
    hostname: textOf(fieldOf(entry, "hostname"), 253) ?? id,
    ip: textOf(fieldOf(entry, "ip"), 64),
    os: textOf(fieldOf(entry, "os"), 200),
    status: statuses.find((known) => known === status) ?? null,
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

function textOf(value: unknown, max: number): string | null {
  if (typeof value !== "string") return null;
  const text = value
    .replace(/\p{Cc}/gu, "")
    .slice(0, max)
    .toWellFormed()
    .trim();
  return text === "" ? null : text;
}
