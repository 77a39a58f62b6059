import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ChainCheck, checkAudit } from "../actors/soc/audit-check.ts";
import { socCollections } from "../actors/soc/collections.ts";
import type { Config } from "../config.ts";
import { FileKeys } from "../drivers/keys/file-keys.ts";
import { openStore } from "../drivers/store/open-store.ts";
import { DomainError } from "../machines/errors.ts";
import { storeFile } from "./homes.ts";

/** Checks the audit stream in the platform's store, also while the platform runs. The exit code is 1 for a broken one. */
export async function verifyAudit({ soc }: Config): Promise<number> {
  const address = soc.store === "sqlite" ? join(soc.home, storeFile) : soc.store;
  // Both would be made anew by opening them, and an empty stream always holds.
  for (const path of [soc.keys, ...(soc.store === "sqlite" ? [address] : [])])
    if (!existsSync(path)) throw new DomainError("not_found", `${path} is not there`);
  const keys = new FileKeys(soc.keys);
  await keys.open();
  const store = await openStore(address, socCollections);
  try {
    if (!store.up)
      throw new DomainError("unavailable", `the store cannot be read: ${store.reason ?? address}`);
    const checks = await checkAudit(store, keys);
    for (const check of checks) console.log(sentenceOf(check));
    const chained = checks.reduce((sum, { entries }) => sum + entries, 0);
    console.log(`${checks.length} chains, ${chained} of ${await store.count("audit")} entries chained.`);
    return checks.every(({ valid }) => valid) ? 0 : 1;
  } finally {
    await store.close();
  }
}

function sentenceOf({ chain, valid, entries, head, first_bad_seq, reason }: ChainCheck): string {
  if (valid) return `${chain}: holds, ${entries} entries, head ${head}`;
  return `${chain}: BROKEN at entry ${first_bad_seq}: ${reason}`;
}
