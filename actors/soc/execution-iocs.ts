/** The step `block_ioc`: an indicator is put on the platform's block list. */
import { sha256 } from "../../drivers/keys/ed25519.ts";
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import { type Desk, isoNow } from "./desk.ts";

export const iocCollection: CollectionSpec = { name: "iocs", indexes: [{ fields: ["created_at"] }] };

export interface BlockReceipt {
  ioc_id: string;
  value: string;
  blocked: true;
}

/** One record per value, however often it is blocked. */
export async function blockIoc(
  { store, audit, now }: Desk,
  value: string,
  type: unknown,
  by: string,
): Promise<BlockReceipt> {
  if (value === "") throw new DomainError("invalid_input", "there is no value to block", { field: "value" });
  const id = `ioc-${sha256(value).slice(0, 32)}`;
  const receipt = { ioc_id: id, value, blocked: true } as const;
  for (let turn = 0; turn < 30; turn++) {
    const at = isoNow({ now });
    const { version = 0, ...before } = (await store.get(iocCollection.name, id)) ?? { version: 0 };
    if ((before as { blocked?: boolean }).blocked) return receipt;
    const doc = {
      type,
      source: by,
      created_at: at,
      ...before,
      id,
      value,
      blocked: true,
      blocked_by: by,
      blocked_at: at,
    };
    const note = { at, actor: by, action: "ioc.BLOCKED", object: `ioc/${id}`, detail: { value } };
    const won = await store.commit({
      collection: iocCollection.name,
      version,
      doc,
      append: [audit.document(note)],
    });
    if (won) return receipt;
  }
  throw new DomainError("unavailable", `too many change indicator ${id} at once`);
}
