/** Evidence: builds the next entry of a chain, checks chains, and hands them out. */
import { isSignedBy, publicKeyOf, sha256 } from "../../drivers/keys/ed25519.ts";
import type { Keys } from "../../drivers/keys/keys.ts";
import type { Store } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import { auditCollections } from "../../machines/soc/audit.ts";
import {
  caseCollections,
  type EvidenceDoc,
  type LedgerDoc,
  shown,
} from "../../machines/soc/case-documents.ts";
import type { Evidence, SignedEntry } from "../../machines/soc/case-record.ts";
import { type EvidenceExport, verifyEvidence } from "../../machines/soc/evidence-export.ts";
import { chained, type Head, ledgerRoot, type Verification } from "../../machines/soc/ledger.ts";

export interface Custody {
  action: string;
  actor: string;
  purpose: string | null;
  location: string | null;
  at: string;
}

export class EvidenceLedger {
  readonly #store: Store;
  readonly #keys: Keys;

  constructor(store: Store, keys: Keys) {
    this.#store = store;
    this.#keys = keys;
  }

  /** The chain of new evidence. */
  begin(case_id: string, { id, sha256: content }: Evidence, steps: readonly Custody[]): SignedEntry[] {
    let end = { seq: 0, hash: ledgerRoot(case_id, id, sha256) };
    return steps.map((custody) => {
      const signed = this.#signed({ ...custody, evidence_id: id, content_sha256: content }, end);
      end = signed.entry;
      return signed;
    });
  }

  /** The entry that follows the last stored one; good as long as the case has not moved on. */
  async next(evidence: EvidenceDoc, custody: Custody): Promise<SignedEntry> {
    const last = (await this.#entries(evidence.id, "desc", 1))[0];
    if (!last) throw new DomainError("internal", `the chain of evidence ${evidence.id} is gone`);
    return this.#signed(
      { ...custody, evidence_id: evidence.id, content_sha256: evidence.sha256 },
      last.entry,
    );
  }

  /** Not found unless it belongs to the case. */
  async find(case_id: string, evidence_id: string): Promise<EvidenceDoc> {
    const doc = await this.#store.get(caseCollections.evidence, evidence_id);
    if (doc?.case_id !== case_id) throw new DomainError("not_found", `there is no evidence ${evidence_id}`);
    return doc as unknown as EvidenceDoc;
  }

  async verify(case_id: string, evidence_id: string): Promise<Verification> {
    const bundle = await this.export(case_id, evidence_id, "");
    return verifyEvidence(bundle, sha256, (hash, signature) => this.#keys.isSigned(hash, signature));
  }

  async export(case_id: string, evidence_id: string, exported_at: string): Promise<EvidenceExport> {
    const [doc, entries, head] = await Promise.all([
      this.find(case_id, evidence_id),
      this.#entries(evidence_id, "asc"),
      this.#publishedHead(evidence_id),
    ]);
    return {
      format: "minaret-evidence/1",
      exported_at,
      case_id,
      evidence: shown(doc),
      custody_entries: entries.map((each) => each.entry),
      head,
      public_key: this.#keys.publicKey,
    };
  }

  async #entries(evidence_id: string, direction: "asc" | "desc", limit?: number): Promise<LedgerDoc[]> {
    const { items } = await this.#store.find(caseCollections.ledger, {
      where: { evidence_id },
      sort: [{ field: "entry.seq", direction }],
      ...(limit === undefined ? {} : { limit }),
    });
    return items as unknown as LedgerDoc[];
  }

  /** From the audit stream, which the ledger's own documents cannot vouch for. */
  async #publishedHead(evidence_id: string): Promise<Head | null> {
    const { items } = await this.#store.find(auditCollections.entries, {
      where: { object: `evidence/${evidence_id}` },
      sort: [{ field: "detail.seq", direction: "desc" }],
      limit: 1,
    });
    const detail = items[0]?.detail as Head | undefined;
    return detail ? { seq: detail.seq, hash: detail.hash, signature: detail.signature } : null;
  }

  #signed(
    draft: Custody & { evidence_id: string; content_sha256: string },
    after: { seq: number; hash: string },
  ): SignedEntry {
    const entry = chained(draft, after, sha256);
    return { entry, signature: this.#keys.sign(entry.hash) };
  }
}

/** Checks an export with nothing but its text; with a key, only that key's signature counts. */
export function verifyExport(text: string, trustedKey?: string): Verification {
  const broken = { valid: false, entries: 0, head: null, first_bad_seq: null };
  let bundle: EvidenceExport;
  try {
    bundle = JSON.parse(text) as EvidenceExport;
  } catch {
    return { ...broken, reason: "the export is not JSON" };
  }
  if (bundle?.format !== "minaret-evidence/1" || !Array.isArray(bundle.custody_entries)) {
    return { ...broken, reason: "this is not an export of evidence" };
  }
  try {
    const key = publicKeyOf(trustedKey ?? bundle.public_key);
    return verifyEvidence(bundle, sha256, (hash, signature) => isSignedBy(key, hash, signature));
  } catch (error) {
    return { ...broken, reason: `the export cannot be read: ${(error as Error).message}` };
  }
}
