import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../drivers/keys/ed25519.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import {
  chained,
  type Head,
  hashOf,
  type LedgerEntry,
  ledgerRoot,
  verifyChain,
} from "../../../machines/soc/ledger.ts";

const keys = new MemoryKeys();
const isSigned = (hash: string, signature: string) => keys.isSigned(hash, signature);
const root = ledgerRoot("c1", "e1", sha256);

type Draft = Omit<LedgerEntry, "seq" | "prev_hash" | "hash">;
const draft: fc.Arbitrary<Draft> = fc.record({
  evidence_id: fc.constant("e1"),
  action: fc.string({ minLength: 1, unit: "binary" }),
  actor: fc.string({ unit: "grapheme" }),
  purpose: fc.option(fc.string(), { nil: null }),
  location: fc.option(fc.string(), { nil: null }),
  at: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString()),
  content_sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
});
const drafts = fc.array(draft, { minLength: 1, maxLength: 12 });

function chainOf(list: readonly Draft[], from = root): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  for (const each of list) entries.push(chained(each, entries.at(-1) ?? { seq: 0, hash: from }, sha256));
  return entries;
}

function headOf(entries: readonly LedgerEntry[]): Head {
  const { seq, hash } = entries.at(-1) as LedgerEntry;
  return { seq, hash, signature: keys.sign(hash) };
}

const check = (entries: readonly LedgerEntry[], head: Head) =>
  verifyChain(entries, root, head, sha256, isSigned);

describe("the ledger", () => {
  it("hashes the text of the hash before, then the canonical JSON of the entry", () => {
    const entry = { b: 1, a: "é", prev_hash: "00", hash: "ignored" };
    expect(hashOf(entry, sha256)).toBe(sha256('00{"a":"é","b":1,"prev_hash":"00"}'));
    expect(root).toBe(sha256("c1:e1"));
  });

  it("holds when nobody touched it", () => {
    fc.assert(
      fc.property(drafts, (list) => {
        const entries = chainOf(list);
        expect(check(entries, headOf(entries))).toEqual({
          valid: true,
          entries: entries.length,
          head: entries.at(-1)?.hash,
          first_bad_seq: null,
          reason: null,
        });
      }),
    );
  });

  it("shows which entry was changed, wherever a character of its text is another one", () => {
    fc.assert(
      fc.property(
        drafts,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 127 }),
        (list, which, where, flip) => {
          const entries = chainOf(list);
          const index = which % entries.length;
          const text = JSON.stringify(entries[index]);
          const at = where % text.length;
          const code = text.charCodeAt(at) ^ flip;
          const bent = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
          const parsed = parse(bent);
          fc.pre(parsed !== null && JSON.stringify(parsed) !== text);
          const tampered = entries.map((entry, i) => (i === index ? (parsed as LedgerEntry) : entry));
          const result = check(tampered, headOf(entries));
          expect(result.valid).toBe(false);
          expect(result.first_bad_seq).toBe(index + 1);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("shows an entry that is none, or that nobody could have hashed", () => {
    const draftOf = (action: string): Draft => ({
      ...{ evidence_id: "e1", action, actor: "a", purpose: null, location: null },
      ...{ at: "2026-01-01T00:00:00.000Z", content_sha256: "ab".repeat(32) },
    });
    const entries = chainOf([draftOf("one"), draftOf("two")]);
    const second = entries[1] as LedgerEntry;
    for (const strange of [
      null,
      undefined,
      "text",
      {},
      { ...second, action: "\ud800" },
      { ...second, hash: 7 },
    ]) {
      const result = check([entries[0] as LedgerEntry, strange as LedgerEntry], headOf(entries));
      expect(result).toMatchObject({ valid: false, entries: 2, first_bad_seq: 2 });
      expect(["string", "object"]).toContain(typeof result.head);
    }
  });

  it("shows that its end, an entry in the middle or its beginning was dropped", () => {
    fc.assert(
      fc.property(drafts, fc.nat(), fc.nat(), (list, from, count) => {
        const entries = chainOf(list);
        const start = from % entries.length;
        const left = entries.toSpliced(start, 1 + (count % (entries.length - start)));
        const result = check(left, headOf(entries));
        expect(result.valid).toBe(false);
        expect(result.first_bad_seq).toBe(start + 1);
      }),
    );
  });

  it("shows that it was written anew from some entry on, with hashes that fit", () => {
    fc.assert(
      fc.property(drafts, fc.nat(), draft, (list, from, other) => {
        const entries = chainOf(list);
        const start = from % entries.length;
        fc.pre(JSON.stringify(other) !== JSON.stringify(list[start]));
        const rewritten = chainOf(list.with(start, other));
        expect(check(rewritten, headOf(entries)).valid).toBe(false);
        const stranger = new MemoryKeys();
        const forged = { ...headOf(rewritten), signature: stranger.sign(headOf(rewritten).hash) };
        expect(check(rewritten, forged).valid).toBe(false);
      }),
    );
  });

  it("shows that it was moved to other evidence, or grown without a signature", () => {
    const entries = chainOf([
      {
        evidence_id: "e1",
        action: "registered",
        actor: "a",
        purpose: null,
        location: null,
        at: "",
        content_sha256: "",
      },
    ]);
    const elsewhere = ledgerRoot("c2", "e1", sha256);
    expect(verifyChain(entries, elsewhere, headOf(entries), sha256, isSigned).first_bad_seq).toBe(1);
    const grown = [...entries, chained({ ...entries[0] } as LedgerEntry, entries[0] as LedgerEntry, sha256)];
    expect(check(grown, headOf(entries)).valid).toBe(false);
    expect(verifyChain(entries, root, null, sha256, isSigned).valid).toBe(false);
  });
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
