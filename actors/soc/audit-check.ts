/** Checks the whole audit stream: every chain by itself, and each against what others wrote of its end. */
import { sha256 } from "../../drivers/keys/ed25519.ts";
import type { Keys } from "../../drivers/keys/keys.ts";
import type { Doc, Query, Store } from "../../drivers/store/store.ts";
import { type AuditEntry, type AuditLink, auditCollections, verifyAudit } from "../../machines/soc/audit.ts";
import type { Verification } from "../../machines/soc/ledger.ts";

export interface ChainCheck extends Verification {
  chain: string;
}

export async function checkAudit(store: Store, keys: Keys): Promise<ChainCheck[]> {
  const checks: ChainCheck[] = [];
  const heads = new Map<string, { seq: number; hash: string }[]>();
  const ends = new Map<string, AuditLink[]>();
  for (const chain of (await store.countBy(auditCollections.links, "chain")).keys()) {
    const links = (await all(store, auditCollections.links, chain, "seq")) as unknown as StoredLink[];
    const entries = new Map<string, AuditEntry>();
    for (const { version: _, ...doc } of await all(store, auditCollections.entries, chain, "n")) {
      entries.set(doc.id, doc as unknown as AuditEntry);
    }
    const list = links.map(({ entry_id: id, chain, seq, prev_hash, hash, signature }) => {
      return { id, chain, seq, prev_hash, hash, signature };
    });
    ends.set(chain, list);
    for (const { action, detail } of entries.values()) {
      if (action !== "audit.opened") continue;
      const named = Object.entries(detail.heads as Record<string, { seq: number; hash: string }>);
      for (const [other, head] of named) heads.set(other, [...(heads.get(other) ?? []), head]);
    }
    checks.push({
      chain,
      ...verifyAudit(chain, entries, list, sha256, (hash, text) => keys.isSigned(hash, text)),
    });
  }
  return [
    ...checks.map((check) => anchored(check, ends.get(check.chain) ?? [], heads.get(check.chain) ?? [])),
    ...gone(ends, heads),
  ];
}

type StoredLink = AuditLink & { entry_id: string };

async function all(store: Store, collection: string, chain: string, field: string): Promise<Doc[]> {
  const docs: Doc[] = [];
  const query: Query = { where: { chain }, sort: [{ field, direction: "asc" }], limit: 1000 };
  for (;;) {
    const page = await store.find(collection, query);
    docs.push(...page.items);
    if (page.nextCursor === null) return docs;
    query.cursor = page.nextCursor;
  }
}

/** A chain that another one saw longer, or otherwise, was cut or written anew. */
function anchored(
  check: ChainCheck,
  links: readonly AuditLink[],
  heads: readonly { seq: number; hash: string }[],
) {
  if (!check.valid) return check;
  const missed = heads.find(({ seq, hash }) => seq > 0 && links[seq - 1]?.hash !== hash);
  if (!missed) return check;
  const reason = "a later chain saw another end of this one";
  return { ...check, valid: false, first_bad_seq: Math.min(missed.seq, links.length + 1), reason };
}

function gone(
  known: ReadonlyMap<string, unknown>,
  heads: ReadonlyMap<string, readonly { seq: number }[]>,
): ChainCheck[] {
  return [...heads]
    .filter(([chain, list]) => !known.has(chain) && list.some(({ seq }) => seq > 0))
    .map(([chain]) => {
      return {
        chain,
        valid: false,
        entries: 0,
        head: null,
        first_bad_seq: 1,
        reason: "the whole chain is gone",
      };
    });
}
