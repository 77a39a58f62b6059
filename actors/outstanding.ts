import type { CollectionSpec } from "../drivers/store/store.ts";
import type { EntityKind } from "./entity-kind.ts";

/** An effect that was decided and not finished yet; its id is the key that it is performed with. */
export interface Outstanding {
  id: string;
  kind: string;
  effect: string;
  params: unknown;
  /** The record of the step, so that performing it again asks for exactly the same. */
  record: { id: string };
  cause: string | null;
  /** Somebody is at it until then, in milliseconds; null when it was given up. */
  at: number | null;
  attempts: number;
  error: string | null;
  [field: string]: unknown;
}

const outstandingCollection: CollectionSpec = { name: "outstanding", indexes: [{ fields: ["at"] }] };

/** What a store must declare for these kinds: their own collections, with the deadline indexed, and `outstanding`. */
export function entityCollections(
  // biome-ignore lint/suspicious/noExplicitAny: kinds of every machine stand side by side here
  kinds: readonly Pick<EntityKind<any, any>, "collection" | "dueOf">[],
): CollectionSpec[] {
  const own = kinds.map(({ collection, dueOf }) =>
    dueOf ? { ...collection, indexes: [...(collection.indexes ?? []), { fields: ["due"] }] } : collection,
  );
  return [...own, outstandingCollection];
}
