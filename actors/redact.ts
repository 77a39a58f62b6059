/** Field names whose values never leave the process, whatever stands around the word. */
const secret =
  /token|passw|passphrase|secret|authorization|cookie|credential|(api|access)[_-]?key|private[_-]?key|signing[_-]?key|(^|[_-])(key|psk|pin|jwt|nonce|otp)$/i;

const hidden = "[redacted]";
const unreadable = "[unreadable]";
const maxDepth = 12;
const maxItems = 1_000;
const maxText = 4_096;

/** A plain copy for a person's eyes: secrets hidden by field name, cycles, actors and functions cut. Never throws. */
export function redacted(value: unknown): unknown {
  return copy(() => value, 0, new Set());
}

/** A getter may throw: that is shown in its place, since a crash report must not crash. */
function copy(read: () => unknown, depth: number, above: Set<object>): unknown {
  try {
    return copyOf(read(), depth, above);
  } catch {
    return unreadable;
  }
}

function copyOf(value: unknown, depth: number, above: Set<object>): unknown {
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
  const inside = (read: () => unknown) => copy(read, depth + 1, above);
  if (Array.isArray(value) || value instanceof Set)
    return [...value].slice(0, maxItems).map((item) => inside(() => item));
  const result: Record<string, unknown> = {};
  for (const [name, read] of fieldsOf(value).slice(0, maxItems)) {
    result[name] = inside(() => {
      const item = read();
      const plain = item === null || item === undefined || typeof item === "boolean";
      return !plain && secret.test(name) ? hidden : item;
    });
  }
  return result;
}

function fieldsOf(value: object): [name: string, read: () => unknown][] {
  if (value instanceof Map) return [...value].map(([name, item]) => [String(name), () => item]);
  return Object.keys(value).map((name) => [name, () => value[name as keyof typeof value]]);
}
