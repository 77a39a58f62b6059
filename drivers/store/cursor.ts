import { DomainError } from "../../machines/errors.ts";
import type { Query, Scalar } from "./store.ts";
import { valueAt } from "./words.ts";

export type SortKey = NonNullable<Query["sort"]>[number];

/** One stretch of the order behind a cursor; stretches are read one after the other, each by its index. */
export type Stretch = readonly {
  field: string;
  is: "equal" | "above" | "below" | "missing" | "present";
  value: Scalar;
}[];

/** The full order of a query: its own keys, then the id, so that no two documents tie. */
export function orderOf(sort: Query["sort"] = []): SortKey[] {
  const keys = [...sort];
  const id = keys.findIndex((key) => key.field === "id");
  if (id >= 0) return keys.slice(0, id + 1);
  return [...keys, { field: "id", direction: keys.at(-1)?.direction ?? "asc" }];
}

const signatureOf = (order: readonly SortKey[]) => order.map((key) => `${key.field} ${key.direction}`).join();

export function writeCursor(order: readonly SortKey[], last: object): string {
  const values = order.map((key) => valueAt(last, key.field) ?? null);
  return Buffer.from(JSON.stringify([signatureOf(order), ...values])).toString("base64url");
}

/** The stretches that lie behind a cursor; one without conditions where there is no cursor. */
export function stretchesBehind(order: readonly SortKey[], cursor: string | undefined): Stretch[] {
  if (cursor === undefined) return [[]];
  const place = readCursor(order, cursor);
  return order.flatMap((_, back) => {
    const at = order.length - 1 - back;
    const same: Stretch = order.slice(0, at).map((key, n) => equal(key.field, place[n]!));
    return behind(order[at]!, place[at]!).map((condition) => [...same, condition]);
  });
}

const equal = (field: string, value: Scalar): Stretch[number] =>
  value === null ? { field, is: "missing", value } : { field, is: "equal", value };

/** Nothing sorts before everything else, on both stores. */
function behind({ field, direction }: SortKey, value: Scalar): Stretch[number][] {
  if (direction === "asc") return [{ field, is: value === null ? "present" : "above", value }];
  if (value === null) return [];
  return [
    { field, is: "below", value },
    ...(field === "id" ? [] : [{ field, is: "missing", value: null } as const]),
  ];
}

function readCursor(order: readonly SortKey[], cursor: string): Scalar[] {
  const place = parse(cursor);
  const scalar = (value: unknown) => value === null || ["string", "number", "boolean"].includes(typeof value);
  if (
    !Array.isArray(place) ||
    place.length !== order.length + 1 ||
    place[0] !== signatureOf(order) ||
    typeof place.at(-1) !== "string" ||
    !place.every(scalar)
  )
    throw new DomainError("invalid_input", "the cursor does not belong to this list", { field: "cursor" });
  return place.slice(1);
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return null;
  }
}
