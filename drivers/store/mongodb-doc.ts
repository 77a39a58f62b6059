import type { CollectionSpec, Doc, NewDoc } from "./store.ts";
import { valueAt, wordsOfDoc } from "./words.ts";

/** A document as MongoDB holds it: names with `%` are ours, for a caller's `%` is always written as `%25`. */
export interface Held {
  _id: string;
  version: number;
  /** Appended documents that were not copied out yet, and since when they wait (indexed). */
  "%pending"?: { collection: string; doc: Held }[];
  "%since"?: number;
  "%words"?: string[];
  [field: string]: unknown;
}

export const uniqueField = (fields: readonly string[]) => `%unique ${fields.map(nameOf).join("+")}`;

/** `$`, dots and the driver's own marks mean something in a name; they are written like in a URL. */
export function nameOf(name: string): string {
  if (!/[$.%\0]|^_bsontype$|^_id$/.test(name)) return name;
  const escaped = name.replace(/[$.%\0]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return escaped.startsWith("_") ? `%5f${escaped.slice(1)}` : escaped;
}

/** A dotted field as MongoDB names it. */
export const pathOf = (field: string) => (field === "id" ? "_id" : field.split(".").map(nameOf).join("."));

export function hold(doc: NewDoc, version: number, spec: CollectionSpec): Held {
  const { id, version: _, ...rest } = doc;
  const held: Held = { _id: id, ...(rename(rest, nameOf) as object), version };
  return Object.assign(held, derivedOf(doc, spec));
}

/** What is computed from a document so that it can be searched and kept unique. */
export function derivedOf(doc: object, spec: CollectionSpec): Record<string, unknown> {
  const derived: Record<string, unknown> = {};
  if (spec.words?.length) derived["%words"] = wordsOfDoc(doc, spec);
  for (const { fields, unique } of spec.indexes ?? []) {
    const values = fields.map((field) => valueAt(doc, field) ?? null);
    // One text per unique key, absent where a part is: sparse unique indexes exist on every server, partial ones do not.
    if (unique && !values.includes(null)) derived[uniqueField(fields)] = JSON.stringify(values);
  }
  return derived;
}

export function release({ _id, version, ...rest }: Held): Doc {
  const own = Object.fromEntries(Object.entries(rest).filter(([name]) => !isOurs(name)));
  return { id: _id, ...(rename(own, (name) => name.replace(/%([0-9a-f]{2})/g, decoded)) as object), version };
}

const decoded = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
const isOurs = (name: string) => /^%(pending|since|words|unique )/.test(name);

function rename(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => rename(each, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [name(key), rename(each, name)]),
  );
}
