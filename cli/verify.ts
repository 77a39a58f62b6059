import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { verifyExport } from "../actors/soc/evidence.ts";
import type { Config } from "../config.ts";
import { DomainError } from "../machines/errors.ts";

/** Checks an evidence export without the platform. The exit code is 0 for a whole chain, 1 for a broken one. */
export async function verify(operands: string[], config: Config): Promise<number> {
  const { values, positionals } = parseArgs({
    args: operands,
    allowPositionals: true,
    options: { key: { type: "string" }, audit: { type: "boolean" } },
  });
  if (values.audit) return (await import("./verify-audit.ts")).verifyAudit(config);
  const [file] = positionals;
  if (!file)
    throw new DomainError("invalid_input", "Say which: minaret verify FILE [--key PUBLIC_KEY], or --audit");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new DomainError("not_found", `${file} cannot be read: ${error.code ?? error.message}`);
  });
  const { valid, entries, head, first_bad_seq, reason } = verifyExport(text, values.key);
  if (!valid) {
    const where = first_bad_seq === null ? "" : ` at entry ${first_bad_seq}`;
    console.log(`BROKEN${where}: ${reason ?? "the chain does not hold"}`);
    return 1;
  }
  console.log(`The chain holds: ${entries} entries, head ${head}.`);
  if (values.key === undefined)
    console.log(
      "Signed with the key that the export itself names; compare that key with its owner's, or give --key.",
    );
  return 0;
}
