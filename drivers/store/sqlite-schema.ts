import { createHash } from "node:crypto";
import { docTable, expressionOf, wordTable } from "./sqlite-query.ts";
import type { CollectionSpec } from "./store.ts";

/** What the writer needs to bring a database file to today's form. */
export interface Schema {
  /** One statement list per version of the layout; `PRAGMA user_version` counts those that were run. */
  migrations: readonly string[];
  collections: readonly CollectionSchema[];
}

interface CollectionSchema {
  name: string;
  doc: string;
  table: string;
  indexes: readonly { name: string; text: string }[];
  words: { table: string; text: string; fields: string } | null;
}

const migrations = [
  "CREATE TABLE word_fields (collection TEXT PRIMARY KEY, fields TEXT NOT NULL) STRICT, WITHOUT ROWID",
];

export function schemaOf(collections: readonly CollectionSpec[]): Schema {
  return { migrations, collections: collections.map(collectionSchema) };
}

function collectionSchema(spec: CollectionSpec): CollectionSchema {
  if (!/^[a-z][a-z0-9_-]*$/i.test(spec.name))
    throw new TypeError(`not a name for a collection: ${spec.name}`);
  const doc = docTable(spec.name);
  // `n` is a column of its own because VACUUM renumbers hidden row ids, and the words refer to them.
  const columns =
    "n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, body TEXT NOT NULL";
  return {
    name: spec.name,
    doc: `doc_${spec.name}`,
    table: `CREATE TABLE IF NOT EXISTS ${doc} (${columns}) STRICT`,
    indexes: (spec.indexes ?? []).map((index) => indexSchema(spec.name, doc, index)),
    words: spec.words?.length
      ? {
          table: wordTable(spec.name),
          fields: JSON.stringify(spec.words),
          // The words are cut before they come here: nothing but a space parts them.
          text: `CREATE VIRTUAL TABLE ${wordTable(spec.name)} USING fts5(words, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* P* S* C*'")`,
        }
      : null,
  };
}

function indexSchema(
  collection: string,
  doc: string,
  index: { fields: readonly string[]; unique?: boolean },
) {
  const fields = index.fields.map(expressionOf);
  const label = `${collection}_${index.unique ? "unique" : "by"}_${index.fields.join("_")}`.replace(
    /[^\w]/g,
    "_",
  );
  const columns = index.unique ? fields : [...fields, ...(index.fields.includes("id") ? [] : ["id"])];
  const partial = index.unique ? ` WHERE ${fields.map((field) => `${field} IS NOT NULL`).join(" AND ")}` : "";
  const rest = `ON ${doc} (${columns.join(", ")})${partial}`;
  const name = `${label}_${createHash("sha256").update(rest).digest("hex").slice(0, 8)}`;
  return { name, text: `CREATE ${index.unique ? "UNIQUE " : ""}INDEX IF NOT EXISTS "${name}" ${rest}` };
}
