import type { Db } from "mongodb";
import { DomainError } from "../../machines/errors.ts";
import { derivedOf, type Held, pathOf, release, uniqueField } from "./mongodb-doc.ts";
import type { CollectionSpec } from "./store.ts";

/** One step per version of the layout, run in order; a stored layout beyond the last is refused. */
const migrations: readonly ((db: Db) => Promise<void>)[] = [async () => {}];

interface Layout {
  _id: string;
  version: number;
  /** What is derived from each collection's documents; when it changes they are derived again. */
  derived: Record<string, string>;
}

/** Brings a database to today's form: migrations, indexes, and what is derived from the documents. */
export async function prepareCollections(db: Db, specs: readonly CollectionSpec[]): Promise<void> {
  const layouts = db.collection<Layout>("minaret");
  const layout = (await layouts.findOne({ _id: "layout" })) ?? { _id: "layout", version: 0, derived: {} };
  if (layout.version > migrations.length)
    throw new DomainError(
      "conflict",
      `the database is of layout ${layout.version}, which is newer than this program`,
    );
  for (const migrate of migrations.slice(layout.version)) await migrate(db);
  const derived = { ...layout.derived };
  for (const spec of specs) {
    const wanted = JSON.stringify([spec.words ?? [], ...uniqueOf(spec)]);
    if ((derived[spec.name] ?? "[[]]") !== wanted) await deriveAgain(db, spec);
    derived[spec.name] = wanted;
    await createIndexes(db, spec);
  }
  await layouts.replaceOne({ _id: "layout" }, { version: migrations.length, derived }, { upsert: true });
}

const uniqueOf = (spec: CollectionSpec) =>
  (spec.indexes ?? []).filter((each) => each.unique).map((each) => each.fields);

async function createIndexes(db: Db, spec: CollectionSpec): Promise<void> {
  const rows = db.collection<Held>(spec.name);
  await rows.createIndex({ "%since": 1 }, { sparse: true });
  if (spec.words?.length) await rows.createIndex({ "%words": 1 });
  for (const { fields, unique } of spec.indexes ?? []) {
    if (unique) await rows.createIndex({ [uniqueField(fields)]: 1 }, { unique: true, sparse: true });
    // The id comes last, so that a page behind a cursor is found by the index alone.
    const keys = [...fields.map(pathOf), "_id"].map((field) => [field, 1] as const);
    await rows.createIndex(Object.fromEntries(keys));
  }
}

async function deriveAgain(db: Db, spec: CollectionSpec): Promise<void> {
  const rows = db.collection<Held>(spec.name);
  for await (const held of rows.find()) {
    const set = derivedOf(release(held), spec);
    if (Object.keys(set).length > 0)
      await rows.updateOne({ _id: held._id, version: held.version }, { $set: set });
  }
}
