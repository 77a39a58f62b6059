import type { CollectionSpec } from "./store.ts";

/** The words of a text as both stores keep them: folded, without punctuation. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  );
}

/** The distinct words of a document's word fields; arrays of texts count as well. */
export function wordsOfDoc(doc: object, spec: CollectionSpec): string[] {
  const texts = (spec.words ?? []).flatMap((field) => valueAt(doc, field));
  return [...new Set(texts.flatMap((text) => (typeof text === "string" ? wordsOf(text) : [])))];
}

/** What a dotted field holds; undefined where there is nothing. */
export function valueAt(doc: object, field: string): unknown {
  let value: unknown = doc;
  for (const part of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Only these fields of a document, dotted ones in their place. */
export function pick(doc: object, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueAt(doc, field);
    if (value === undefined) continue;
    const parts = field.split(".");
    const last = parts.pop()!;
    let place = picked;
    for (const part of parts) {
      place[part] ??= {};
      place = place[part] as Record<string, unknown>;
    }
    place[last] = value;
  }
  return picked;
}
