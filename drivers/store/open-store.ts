import type { SqliteOptions } from "./sqlite.ts";
import type { CollectionSpec, Store } from "./store.ts";

/** Opens the store of an address: a `mongodb://` address, `none`, or the path of an SQLite file. */
export async function openStore(
  address: string,
  collections: readonly CollectionSpec[],
  options: SqliteOptions = {},
): Promise<Store> {
  const store = await storeFor(address, collections, options);
  await store.open();
  return store;
}

async function storeFor(
  address: string,
  collections: readonly CollectionSpec[],
  options: SqliteOptions,
): Promise<Store> {
  if (address === "none") return new (await import("./no-store.ts")).NoStore();
  if (/^mongodb(\+srv)?:\/\//.test(address))
    return new (await import("./mongodb.ts")).MongoStore(address, collections);
  return new (await import("./sqlite.ts")).SqliteStore(address, collections, options);
}
