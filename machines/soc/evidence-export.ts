/** A piece of evidence with its chain, as it leaves the platform; checked without it. */
import type { EvidenceDoc } from "./case-documents.ts";
import {
  type Head,
  type LedgerEntry,
  ledgerRoot,
  type Sha256,
  type Verification,
  verifyChain,
} from "./ledger.ts";

export interface EvidenceExport {
  format: "minaret-evidence/1";
  exported_at: string;
  case_id: string;
  evidence: Omit<EvidenceDoc, "case_id" | "seq">;
  custody_entries: LedgerEntry[];
  head: Head | null;
  /** SubjectPublicKeyInfo in base64: compare it with the one that the platform's owner publishes. */
  public_key: string;
}

export function verifyEvidence(
  {
    case_id,
    evidence,
    custody_entries,
    head,
  }: Pick<EvidenceExport, "case_id" | "custody_entries" | "head"> & {
    evidence: { id: string; sha256: string };
  },
  sha256: Sha256,
  isSigned: (hash: string, signature: string) => boolean,
): Verification {
  const root = ledgerRoot(case_id, evidence.id, sha256);
  const result = verifyChain(custody_entries, root, head, sha256, isSigned);
  if (!result.valid) return result;
  const other = custody_entries.find(
    (entry) => entry.evidence_id !== evidence.id || entry.content_sha256 !== evidence.sha256,
  );
  if (!other) return result;
  const reason = "the evidence is not the one that the chain tells of";
  return { ...result, valid: false, first_bad_seq: other.seq, reason };
}
