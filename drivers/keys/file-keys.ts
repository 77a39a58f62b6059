/** Signing keys as files, readable by their owner only; processes that share a store share the folder. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DomainError } from "../../machines/errors.ts";
import { derivedSecret, isSignedBy, publicKeyOf, publicText, signText } from "./ed25519.ts";
import type { Keys } from "./keys.ts";

const signing = "signing.der";

export class FileKeys implements Keys {
  readonly #folder: string;
  #key: KeyObject | null = null;
  #trusted: KeyObject[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, signing);
    if (!(await readdir(this.#folder)).includes(signing)) await this.#make(file);
    await chmod(file, 0o600);
    const key = createPrivateKey({ key: await readFile(file), type: "pkcs8", format: "der" });
    if (key.asymmetricKeyType !== "ed25519") throw new Error(`${signing} holds no Ed25519 key`);
    this.#key = key;
    this.#trusted = [publicKeyOf(publicText(key)), ...(await this.#retired())];
  }

  async close(): Promise<void> {
    this.#key = null;
    this.#trusted = [];
  }

  sign(text: string): string {
    return signText(this.#open, text);
  }

  isSigned(text: string, signature: string): boolean {
    return this.#trusted.some((key) => isSignedBy(key, text, signature));
  }

  get publicKey(): string {
    return publicText(this.#open);
  }

  secret(purpose: string): Uint8Array {
    return derivedSecret(this.#open, purpose);
  }

  get #open(): KeyObject {
    if (this.#key === null) throw new DomainError("unavailable", "the signing keys are not open");
    return this.#key;
  }

  /** Written whole and then linked into place: of two processes that make one at once, the first one's counts. */
  async #make(file: string): Promise<void> {
    const { privateKey } = generateKeyPairSync("ed25519");
    const draft = `${file}.${randomUUID()}.new`;
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(privateKey.export({ type: "pkcs8", format: "der" }));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(draft, { force: true });
  }

  /** A key that was replaced stays beside as `retired-*.der`, so that what it signed can still be checked. */
  async #retired(): Promise<KeyObject[]> {
    const names = (await readdir(this.#folder)).filter((name) => /^retired-.*\.der$/.test(name));
    const keys = names.map(async (name) =>
      createPrivateKey({ key: await readFile(join(this.#folder, name)), type: "pkcs8", format: "der" }),
    );
    return (await Promise.all(keys)).map((key) => publicKeyOf(publicText(key)));
  }
}
