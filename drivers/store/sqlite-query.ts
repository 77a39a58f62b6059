import { DomainError } from "../../machines/errors.ts";
import { orderOf, type Stretch, stretchesBehind } from "./cursor.ts";
import type { Condition, Filter, Query, Scalar } from "./store.ts";
import { wordsOf } from "./words.ts";

/** A statement and what is bound to it. */
export interface Sql {
  text: string;
  values: (string | number | null)[];
}

export const docTable = (collection: string) => `"doc_${collection}"`;
export const wordTable = (collection: string) => `"words_${collection}"`;

/** A field as an expression; the very text of the declared index, so that the index is used. */
export function expressionOf(field: string): string {
  if (field === "id" || field === "version") return field;
  if (!/^[^"'\\\p{Cc}]+$/u.test(field) || field.split(".").includes(""))
    throw new DomainError("invalid_input", `not a field: ${field}`, { field });
  return `json_extract(body, '$.${field
    .split(".")
    .map((part) => `"${part}"`)
    .join(".")}')`;
}

const typeOf = (field: string) =>
  field === "id" || field === "version"
    ? `'column'`
    : expressionOf(field).replace("json_extract", "json_type");

/** The stretches of one page, in order; the reader takes as many as fill it. */
export function pageSql(collection: string, query: Query): Sql[] {
  const order = orderOf(query.sort);
  return stretchesBehind(order, query.cursor).map((stretch) => {
    const where = whereOf(collection, query, stretch);
    // A key that the stretch fixes is left out, or SQLite would sort what the index gives in order.
    const fixed = new Set(
      stretch.filter(({ is }) => is === "equal" || is === "missing").map(({ field }) => field),
    );
    const orderBy = order
      .filter((key) => !fixed.has(key.field))
      .map((key) => `${expressionOf(key.field)} ${key.direction === "asc" ? "ASC" : "DESC"}`);
    const select = `SELECT version, body FROM ${docTable(collection)}${where.text}`;
    return { text: `${select} ORDER BY ${orderBy.join(", ")} LIMIT ? OFFSET ?`, values: where.values };
  });
}

export function countSql(collection: string, filter: Filter, cap?: number): Sql {
  const where = whereOf(collection, filter);
  if (cap === undefined)
    return { text: `SELECT count(*) FROM ${docTable(collection)}${where.text}`, values: where.values };
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${docTable(collection)}${where.text} LIMIT ?)`;
  return { text, values: [...where.values, cap] };
}

/** JSON's true and false come out as 1 and 0: only for those the type is looked at as well. */
export function countBySql(collection: string, field: string, filter: Filter): Sql {
  const value = expressionOf(field);
  const where = whereOf(collection, filter, [{ field, is: "present", value: null }]);
  const kind = `CASE WHEN ${value} IN (0, 1) THEN ${typeOf(field)} END`;
  const text = `SELECT ${value}, ${kind}, count(*) FROM ${docTable(collection)}${where.text} GROUP BY 1, 2`;
  return { text, values: where.values };
}

function whereOf(collection: string, filter: Filter, stretch: Stretch = []): Sql {
  const parts = [
    ...Object.entries(filter.where ?? {}).map(([field, condition]) => conditionSql(field, condition)),
    ...stretch.map(({ field, is, value }) => stretchSql(expressionOf(field), is, value)),
    ...wordsSql(collection, filter.words ?? []),
  ];
  if (parts.length === 0) return { text: "", values: [] };
  return {
    text: ` WHERE ${parts.map((part) => part.text).join(" AND ")}`,
    values: parts.flatMap((part) => part.values),
  };
}

function wordsSql(collection: string, asked: readonly string[]): Sql[] {
  if (asked.length === 0) return [];
  const words = asked.flatMap(wordsOf);
  if (words.length === 0) return [{ text: "0", values: [] }];
  const match = words.map((word) => `"${word}"`).join(" ");
  const table = wordTable(collection);
  return [{ text: `n IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`, values: [match] }];
}

const bound = (value: Scalar) => (typeof value === "boolean" ? Number(value) : value);

function stretchSql(expression: string, is: Stretch[number]["is"], value: Scalar): Sql {
  if (is === "missing") return { text: `${expression} IS NULL`, values: [] };
  if (is === "present") return { text: `${expression} IS NOT NULL`, values: [] };
  return { text: `${expression} ${{ equal: "=", above: ">", below: "<" }[is]} ?`, values: [bound(value)] };
}

function conditionSql(field: string, condition: Condition): Sql {
  const x = expressionOf(field);
  if (condition === null || typeof condition !== "object") return equalSql(field, condition);
  if ("in" in condition) return oneOf(field, condition.in);
  if ("not" in condition) {
    const { text, values } = equalSql(field, condition.not);
    return { text: `(${text}) IS NOT 1`, values };
  }
  if ("has" in condition) {
    if (field === "id" || field === "version") return equalSql(field, condition.has);
    const each = expressionOf(field).replace("json_extract", "json_each");
    const text = `EXISTS (SELECT 1 FROM ${each} WHERE ${elementSql(condition.has)})`;
    return { text, values: [bound(condition.has)] };
  }
  if ("prefix" in condition) {
    const values = [condition.prefix, `${condition.prefix}\u{10FFFF}`];
    return { text: `${x} >= ? AND ${x} < ?`, values };
  }
  return rangeSql(x, condition);
}

const elementSql = (value: Scalar) =>
  typeof value === "boolean"
    ? `value = ? AND type = '${value}'`
    : `value IS ? AND type NOT IN ('true', 'false')`;

function oneOf(field: string, values: readonly Scalar[]): Sql {
  const plain = values.filter(
    (value) => typeof value === "string" || (typeof value === "number" && value !== 0 && value !== 1),
  );
  const others = values.filter((value) => !plain.includes(value)).map((value) => equalSql(field, value));
  const list = {
    text: `${expressionOf(field)} IN (${plain.map(() => "?").join()})`,
    values: plain.map(bound),
  };
  const parts = plain.length > 0 ? [list, ...others] : others;
  if (parts.length === 0) return { text: "0", values: [] };
  return {
    text: `(${parts.map((part) => part.text).join(" OR ")})`,
    values: parts.flatMap((part) => part.values),
  };
}

function equalSql(field: string, value: Scalar): Sql {
  const x = expressionOf(field);
  if (value === null) return { text: `${x} IS NULL`, values: [] };
  if (typeof value === "boolean")
    return { text: `(${x} = ? AND ${typeOf(field)} = '${value}')`, values: [Number(value)] };
  if (value === 0 || value === 1)
    return { text: `(${x} = ? AND ${typeOf(field)} NOT IN ('true', 'false'))`, values: [value] };
  return { text: `${x} = ?`, values: [value] };
}

/** A range holds among its own kind: SQLite alone would put every text above every number. */
function rangeSql(x: string, range: { [K in "gt" | "gte" | "lt" | "lte"]?: string | number }): Sql {
  const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
  const given = (Object.keys(signs) as (keyof typeof signs)[]).flatMap((name) => {
    const value = range[name];
    return value === undefined ? [] : [{ text: `${x} ${signs[name]} ?`, value }];
  });
  if (given.length === 0) return { text: "1", values: [] };
  const text = typeof given[0]!.value === "string";
  const fence = text ? `${x} >= ''` : `${x} < ''`;
  return {
    text: [...given.map((part) => part.text), fence].join(" AND "),
    values: given.map((part) => part.value),
  };
}
