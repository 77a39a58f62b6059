/** Collections of JSON documents, the same over SQLite and MongoDB. */

/** A stored document: its key, how often it was swapped (1 when new), and whatever else it holds. */
export interface Doc {
  id: string;
  version: number;
  [field: string]: unknown;
}

/** A document on its way in; the store gives it its version. */
export interface NewDoc {
  id: string;
  [field: string]: unknown;
}

/** Declared once per collection, before `open`; dotted fields reach into objects. */
export interface CollectionSpec {
  name: string;
  /** `unique` leaves documents alone in which one of the fields is missing or null. */
  indexes?: readonly { fields: readonly string[]; unique?: boolean }[];
  /** Fields whose words can be searched with `{ words: … }`. */
  words?: readonly string[];
}

export type Scalar = string | number | boolean | null;

/** One condition on one field. A bare scalar means equality, null also what is missing; only `has` looks into arrays. */
export type Condition =
  | Scalar
  | { in: readonly Scalar[] }
  | { gt?: string | number; gte?: string | number; lt?: string | number; lte?: string | number }
  | { prefix: string }
  | { not: Scalar }
  /** An array field that holds this value. */
  | { has: Scalar };

/** All conditions hold; `words` asks that every word occurs in the collection's word fields. */
export interface Filter {
  where?: Readonly<Record<string, Condition>>;
  words?: readonly string[];
}

export interface Query extends Filter {
  /** Ties are broken by id in the direction of the last key; default: id ascending. */
  sort?: readonly { field: string; direction: "asc" | "desc" }[];
  /** All of them when left out. */
  limit?: number;
  /** Only without a cursor. */
  skip?: number;
  /** From an earlier page's `nextCursor`; holds its place while others insert. */
  cursor?: string;
  /** Only these fields, with `id` and `version`. */
  fields?: readonly string[];
}

export interface Page {
  items: Doc[];
  nextCursor: string | null;
}

/** Swap one record by its version (0: it must be new) and append documents with it, all or nothing. */
export interface Commit {
  collection: string;
  version: number;
  doc: NewDoc;
  /** Appending a document whose id (or another unique key) exists already is harmless and changes nothing. */
  append?: readonly { collection: string; doc: NewDoc }[];
}

export interface Store {
  readonly kind: "sqlite" | "mongodb";
  /** Resolves when the store is usable or known to be down; a store that cannot be reached is not an error. */
  open(): Promise<void>;
  close(): Promise<void>;
  readonly up: boolean;
  /** Why it is down, in words for the log; null while it is up, or where none is wanted. */
  readonly reason: string | null;
  /** Operations that were asked for and not answered yet. */
  readonly pending: number;
  /** Hears `up` change. */
  listen(listener: (up: boolean) => void): () => void;
  get(collection: string, id: string): Promise<Doc | null>;
  /** False when the id or another unique key is taken. */
  insert(collection: string, doc: NewDoc): Promise<boolean>;
  /** False when the swap was lost, or a unique key is taken; then nothing was written. */
  commit(commit: Commit): Promise<boolean>;
  /** With a version only that version is deleted; false when there was none. */
  delete(collection: string, id: string, version?: number): Promise<boolean>;
  find(collection: string, query?: Query): Promise<Page>;
  /** Counts at most `cap` where one is given. */
  count(collection: string, filter?: Filter, cap?: number): Promise<number>;
  /** How many documents there are for each value of a field; those without one are left out. */
  countBy(collection: string, field: string, filter?: Filter): Promise<Map<string, number>>;
  /** Inserts what is new, in one commit; the number inserted. */
  insertMany(collection: string, docs: readonly NewDoc[]): Promise<number>;
}
