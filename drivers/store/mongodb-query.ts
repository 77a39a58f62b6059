import type { SortKey, Stretch } from "./cursor.ts";
import { pathOf } from "./mongodb-doc.ts";
import type { Condition, Filter as StoreFilter } from "./store.ts";
import { wordsOf } from "./words.ts";

export type MongoFilter = Record<string, unknown>;

/** A filter, and where on the order behind a cursor it looks, in MongoDB's words. */
export function filterOf({ where = {}, words = [] }: StoreFilter, stretch: Stretch = []): MongoFilter {
  const parts: MongoFilter[] = [
    ...Object.entries(where).flatMap(([field, condition]) =>
      isOpen(condition) ? [] : [{ [pathOf(field)]: conditionOf(condition) }],
    ),
    ...stretch.map(({ field, is, value }) => ({ [pathOf(field)]: stretchOf(is, value) })),
    ...wordsFilter(words),
  ];
  return parts.length > 0 ? { $and: parts } : {};
}

export const sortOf = (order: readonly SortKey[]) =>
  Object.fromEntries(
    order.map(({ field, direction }) => [pathOf(field), direction === "asc" ? 1 : -1] as const),
  );

function wordsFilter(asked: readonly string[]): MongoFilter[] {
  if (asked.length === 0) return [];
  const words = asked.flatMap(wordsOf);
  return [words.length > 0 ? { "%words": { $all: words } } : { _id: { $in: [] } }];
}

function stretchOf(is: Stretch[number]["is"], value: unknown): unknown {
  if (is === "missing") return { $eq: null };
  if (is === "present") return { $ne: null };
  return { [{ equal: "$eq", above: "$gt", below: "$lt" }[is]]: value };
}

/** A range without a bound asks nothing. */
const isOpen = (condition: Condition) =>
  typeof condition === "object" &&
  condition !== null &&
  Object.values(condition).every((value) => value === undefined);

function conditionOf(condition: Condition): unknown {
  if (condition === null || typeof condition !== "object") return { $eq: condition };
  if ("in" in condition) return { $in: condition.in };
  if ("not" in condition) return { $ne: condition.not };
  if ("has" in condition) return { $eq: condition.has };
  // Only an anchored pattern of plain signs: an index serves it like a range.
  if ("prefix" in condition)
    return { $regex: `^${condition.prefix.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}` };
  const range = Object.entries(condition).filter(([, value]) => value !== undefined);
  return Object.fromEntries(range.map(([name, value]) => [`$${name}`, value]));
}
