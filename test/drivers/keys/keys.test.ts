import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileKeys } from "../../../drivers/keys/file-keys.ts";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "minaret-keys-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function opened(): Promise<FileKeys> {
  const keys = new FileKeys(join(folder, "keys"));
  await keys.open();
  return keys;
}

describe("signing keys in files", () => {
  it("are made once, and readable by nobody else", async () => {
    const first = await opened();
    const { mode } = await stat(join(folder, "keys", "signing.der"));
    expect(mode & 0o777).toBe(0o600);
    const second = await opened();
    expect(second.publicKey).toBe(first.publicKey);
    expect(second.isSigned("head", first.sign("head"))).toBe(true);
  });

  it("are the same for processes that make them at the same time", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, opened));
    expect(new Set(all.map((keys) => keys.publicKey)).size).toBe(1);
  });

  it("refuse another text, another key's signature, and what is no signature", async () => {
    const keys = await opened();
    const stranger = new MemoryKeys();
    expect(keys.isSigned("other", keys.sign("head"))).toBe(false);
    expect(keys.isSigned("head", stranger.sign("head"))).toBe(false);
    for (const text of ["", "x", `${keys.sign("head")}A`]) expect(keys.isSigned("head", text)).toBe(false);
  });

  it("give a different secret for each purpose, and the same one after a restart", async () => {
    const keys = await opened();
    expect(keys.secret("tokens")).not.toEqual(keys.secret("challenges"));
    expect((await opened()).secret("tokens")).toEqual(keys.secret("tokens"));
  });

  it("are unavailable once closed, which may be done twice", async () => {
    const keys = await opened();
    await keys.close();
    await keys.close();
    expect(() => keys.sign("head")).toThrow("not open");
  });
});
