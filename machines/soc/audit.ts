/** The audit stream: what happened, by whom, in which request; chained per writing process. */
import {
  chained,
  type Head,
  type Link,
  type Sha256,
  type Verification,
  type VerifyHead,
  verifyChain,
} from "./ledger.ts";

export interface AuditEntry {
  id: string;
  /** The writing process; its entries are chained in the order in which they were stored. */
  chain: string;
  /** Counts what the process began to write; a step that lost its swap leaves a gap. */
  n: number;
  at: string;
  actor: string;
  /** `<resource>.<what>`, for example `case.CLOSE` or `auth.login`. */
  action: string;
  /** `<resource>/<id>`. */
  object: string;
  result: "ok" | "refused" | "failed" | "preview";
  request_id: string | null;
  detail: Record<string, unknown>;
}

/** An entry's place in its chain, written once the entry is stored; the last one of a batch is signed. */
export interface AuditLink extends Link {
  id: string;
  chain: string;
  signature: string | null;
}

export const auditCollections = { entries: "audit", links: "audit_links" } as const;

export function auditRoot(chain: string, sha256: Sha256): string {
  return sha256(`audit:${chain}`);
}

/** Links entries behind the end of their chain; the last link carries the signature. */
export function linkEntries(
  entries: readonly AuditEntry[],
  after: { seq: number; hash: string },
  sha256: Sha256,
  sign: (hash: string) => string,
): AuditLink[] {
  const links: AuditLink[] = [];
  let end = after;
  for (const entry of entries) {
    const { seq, prev_hash, hash } = chained(entry, end, sha256);
    links.push({ id: entry.id, chain: entry.chain, seq, prev_hash, hash, signature: null });
    end = { seq, hash };
  }
  return links.map((link, i) => (i === links.length - 1 ? { ...link, signature: sign(link.hash) } : link));
}

/** Checks one process's chain: every linked entry is there and as it was. */
export function verifyAudit(
  chain: string,
  entries: ReadonlyMap<string, AuditEntry>,
  links: readonly AuditLink[],
  sha256: Sha256,
  isSigned: VerifyHead,
): Verification {
  const merged: Link[] = links.map(({ id, seq, prev_hash, hash }) => ({
    ...entries.get(id),
    seq,
    prev_hash,
    hash,
  }));
  const last = links.at(-1);
  const head: Head | null = last?.signature
    ? { seq: last.seq, hash: last.hash, signature: last.signature }
    : null;
  return verifyChain(merged, auditRoot(chain, sha256), head, sha256, isSigned);
}
