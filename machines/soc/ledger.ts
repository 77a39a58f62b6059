/** The evidence ledger and the audit chain: what is hashed, and how a chain is checked. */
import canonicalize from "canonicalize";

/** SHA-256 of a text's UTF-8, in lower-case hex. Given in: a machine has no crypto of its own. */
export type Sha256 = (text: string) => string;

/** Whether a signature over a hash is the platform's. */
export type VerifyHead = (hash: string, signature: string) => boolean;

/** One link of the chain of one piece of evidence. */
export interface LedgerEntry {
  seq: number;
  evidence_id: string;
  action: string;
  actor: string;
  purpose: string | null;
  location: string | null;
  at: string;
  content_sha256: string;
  prev_hash: string;
  hash: string;
}

/** What any chain needs to be checked; all other fields are hashed as they are. */
export interface Link {
  seq: number;
  prev_hash: string;
  hash: string;
}

/** The answer of `verify`: a broken chain is a result, not an error. */
export interface Verification {
  valid: boolean;
  entries: number;
  head: string | null;
  first_bad_seq: number | null;
  reason: string | null;
}

/** The last thing that was signed and published about a chain: it shows truncation and rewriting. */
export interface Head {
  seq: number;
  hash: string;
  signature: string;
}

/** The hash of an entry: the text of `prev_hash` followed by the canonical JSON (RFC 8785) of the rest. */
export function hashOf(entry: { prev_hash: string }, sha256: Sha256): string {
  const { hash: _, ...rest } = entry as { prev_hash: string; hash?: unknown };
  return sha256(rest.prev_hash + canonicalize(rest));
}

/** The same without lone surrogates, for which RFC 8785 has no form: what cannot be hashed would end a chain. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([name, inner]) => [name.toWellFormed(), wellFormed(inner)]);
  return Object.fromEntries(pairs) as T;
}

/** What the first entry of an evidence's chain follows. */
export function ledgerRoot(case_id: string, evidence_id: string, sha256: Sha256): string {
  return sha256(`${case_id}:${evidence_id}`);
}

/** The next entry of a chain, with its hash. */
export function chained<T extends object>(
  entry: T,
  after: { seq: number; hash: string },
  sha256: Sha256,
): T & Link {
  const linked = { ...entry, seq: after.seq + 1, prev_hash: after.hash };
  return { ...linked, hash: hashOf(linked, sha256) };
}

/** Checks every link from the root on, and the end against the newest published head. */
export function verifyChain(
  entries: readonly Link[],
  root: string,
  head: Head | null,
  sha256: Sha256,
  isSigned: VerifyHead,
): Verification {
  const bad = (seq: number, reason: string): Verification => ({
    valid: false,
    entries: entries.length,
    head: headText(entries),
    first_bad_seq: seq,
    reason,
  });
  let prev = root;
  for (const [index, entry] of entries.entries()) {
    const seq = index + 1;
    if (entry?.seq !== seq) return bad(seq, `entry ${seq} is missing or out of order`);
    if (entry.prev_hash !== prev) return bad(seq, `entry ${seq} does not follow the one before it`);
    if (!isAsHashed(entry, sha256)) return bad(seq, `entry ${seq} was changed`);
    prev = entry.hash;
  }
  if (head === null) return bad(entries.length, "no signed head was published");
  if (!isSigned(head.hash, head.signature))
    return bad(head.seq, "the published head is not signed by this platform");
  if (head.seq > entries.length)
    return bad(entries.length + 1, `entries after ${entries.length} were dropped`);
  if (head.seq < entries.length) return bad(head.seq + 1, `entries after ${head.seq} were never signed`);
  if (entries[head.seq - 1]?.hash !== head.hash)
    return bad(head.seq, "the chain is not the one that was signed");
  return { valid: true, entries: entries.length, head: prev, first_bad_seq: null, reason: null };
}

/** What somebody put in place of an entry may be of any shape. */
function isAsHashed(entry: Link, sha256: Sha256): boolean {
  try {
    return entry.hash === hashOf(entry, sha256);
  } catch {
    return false;
  }
}

function headText(entries: readonly Link[]): string | null {
  const hash: unknown = entries.at(-1)?.hash;
  return typeof hash === "string" ? hash : null;
}
