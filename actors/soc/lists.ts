/** Lists as the platform answers them: pages by offset or by a cursor that holds its place. */
import type { Condition, Doc, Query, Store } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";

export interface ListQuery {
  skip?: number | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  /** A field, with `-` before it for the other direction. */
  sort?: string | undefined;
}

export interface List<T> {
  items: T[];
  total: number;
  skip: number;
  limit: number;
  next_cursor: string | null;
}

export interface ListSpec {
  collection: string;
  /** The fields that a caller may sort by; the first is the default, newest first. */
  sorts: readonly [string, ...string[]];
  /** Always added to what the caller asks. */
  where?: Readonly<Record<string, Condition>>;
  fields?: readonly string[];
}

/** `undefined` conditions are those that the caller left out. */
export async function listOf(
  store: Pick<Store, "find" | "count">,
  spec: ListSpec,
  { skip = 0, limit = 50, cursor, sort }: ListQuery,
  where: Readonly<Record<string, Condition | undefined>> = {},
): Promise<List<Doc>> {
  const asked = Object.entries(where).filter((pair): pair is [string, Condition] => pair[1] !== undefined);
  const filter = { where: { ...spec.where, ...Object.fromEntries(asked) } };
  const query: Query = { ...filter, sort: sortOf(spec, sort), limit };
  if (cursor === undefined) query.skip = skip;
  else query.cursor = cursor;
  if (spec.fields) query.fields = spec.fields;
  const [page, total] = await Promise.all([
    store.find(spec.collection, query),
    store.count(spec.collection, filter),
  ]);
  return {
    items: page.items,
    total,
    skip: cursor === undefined ? skip : 0,
    limit,
    next_cursor: page.nextCursor,
  };
}

function sortOf({ sorts }: ListSpec, sort: string | undefined): Query["sort"] & object {
  if (sort === undefined) return [{ field: sorts[0], direction: "desc" }];
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const field = direction === "desc" ? sort.slice(1) : sort;
  if (sorts.includes(field)) return [{ field, direction }];
  throw new DomainError("invalid_input", `sort: must be one of ${sorts.join(", ")}`, { field: "sort" });
}
