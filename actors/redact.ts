/** Field names whose values never leave the process, whatever stands around the word. */
const secret =
  /token|passw|passphrase|secret|authorization|cookie|credential|(api|access)[_-]?key|private[_-]?key|signing[_-]?key|(^|[_-])(key|psk|pin|jwt|nonce|otp)$/i;

const hidden = "[redacted]";
const maxDepth = 12;
const maxItems = 1_000;
const maxText = 4_096;

/** A plain copy for a person's eyes: secrets hidden by field name, cycles, actors and functions cut. */
export function redacted(value: unknown): unknown {
  return copy(value, 0, new Set());
}

function copy(value: unknown, depth: number, above: Set<object>): unknown {
  if (typeof value === "string") return value.length > maxText ? `${value.slice(0, maxText)}…` : value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function") return undefined;
  if (typeof value === "symbol") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value) || depth > maxDepth) return "[…]";
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ("sessionId" in value && "send" in value) return { actor: String(value.sessionId) };
  above.add(value);
  const result = copyInside(value, depth, above);
  above.delete(value);
  return result;
}

function copyInside(value: object, depth: number, above: Set<object>): unknown {
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => copy(item, depth + 1, above));
  if (value instanceof Set) return [...value].slice(0, maxItems).map((item) => copy(item, depth + 1, above));
  const entries: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
  const result: Record<string, unknown> = {};
  let count = 0;
  for (const [name, item] of entries) {
    if (++count > maxItems) break;
    const key = String(name);
    const plain = item === null || item === undefined || typeof item === "boolean";
    result[key] = !plain && secret.test(key) ? hidden : copy(item, depth + 1, above);
  }
  return result;
}
