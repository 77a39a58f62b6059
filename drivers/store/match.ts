/** What the stores' conditions and orders mean, for documents that are in memory. */
import { type SortKey, stretchesBehind } from "./cursor.ts";
import type { CollectionSpec, Condition, Doc, Filter, Scalar } from "./store.ts";
import { valueAt, wordsOf, wordsOfDoc } from "./words.ts";

export function matches(doc: Doc, { where = {}, words = [] }: Filter, spec: CollectionSpec): boolean {
  const holds = Object.entries(where).every(([field, condition]) => meets(valueAt(doc, field), condition));
  return holds && (words.length === 0 || hasWords(doc, words, spec));
}

/** Nothing comes first, then numbers, then texts, as both databases have it. */
export function comparing(order: readonly SortKey[]): (a: Doc, b: Doc) => number {
  return (a, b) => {
    for (const { field, direction } of order) {
      const difference = compare(valueAt(a, field), valueAt(b, field));
      if (difference !== 0) return direction === "asc" ? difference : -difference;
    }
    return 0;
  };
}

/** Whether a document comes after the place that a cursor holds; every one does where there is none. */
export function behindCursor(order: readonly SortKey[], cursor: string | undefined): (doc: Doc) => boolean {
  const stretches = stretchesBehind(order, cursor);
  return (doc) =>
    stretches.some((stretch) =>
      stretch.every(({ field, is, value }) => {
        const mine = valueAt(doc, field) ?? null;
        if (is === "missing" || is === "present") return (mine === null) === (is === "missing");
        const difference = compare(mine, value);
        return is === "equal" ? difference === 0 : is === "above" ? difference > 0 : difference < 0;
      }),
    );
}

/** The values of a unique key; null where a part is missing, which leaves the document alone. */
export function uniqueKey(doc: object, fields: readonly string[]): Record<string, Scalar> | null {
  const pairs = fields.map((field) => [field, (valueAt(doc, field) ?? null) as Scalar] as const);
  return pairs.some(([, value]) => value === null) ? null : Object.fromEntries(pairs);
}

function meets(value: unknown, condition: Condition): boolean {
  if (condition === null || typeof condition !== "object") return same(value, condition);
  if ("in" in condition) return condition.in.some((one) => same(value, one));
  if ("not" in condition) return !same(value, condition.not);
  if ("has" in condition)
    return Array.isArray(value) ? value.some((one) => same(one, condition.has)) : same(value, condition.has);
  if ("prefix" in condition) return typeof value === "string" && value.startsWith(condition.prefix);
  const { gt, gte, lt, lte } = condition;
  return (
    within(value, gt, (difference) => difference > 0) &&
    within(value, gte, (difference) => difference >= 0) &&
    within(value, lt, (difference) => difference < 0) &&
    within(value, lte, (difference) => difference <= 0)
  );
}

const same = (value: unknown, wanted: Scalar) => (value ?? null) === wanted;

function within(value: unknown, bound: string | number | undefined, holds: (n: number) => boolean): boolean {
  return bound === undefined || (typeof value === typeof bound && holds(compare(value, bound)));
}

function hasWords(doc: Doc, words: readonly string[], spec: CollectionSpec): boolean {
  const asked = words.flatMap(wordsOf);
  const own = new Set(wordsOfDoc(doc, spec));
  return asked.length > 0 && asked.every((word) => own.has(word));
}

function compare(a: unknown, b: unknown): number {
  const ranks = rank(a) - rank(b);
  if (ranks !== 0 || (a ?? null) === null) return ranks;
  const [x, y] = [a as string | number, b as string | number];
  return x < y ? -1 : x > y ? 1 : 0;
}

const rank = (value: unknown) => ((value ?? null) === null ? 0 : typeof value === "string" ? 2 : 1);
