/** Signing keys that live as long as the process: for a platform without a home, and for tests. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { derivedSecret, isSignedBy, publicText, signText } from "./ed25519.ts";
import type { Keys } from "./keys.ts";

export class MemoryKeys implements Keys {
  #pair: { privateKey: KeyObject; publicKey: KeyObject } | null = null;

  async open(): Promise<void> {
    this.#pair ??= generateKeyPairSync("ed25519");
  }

  async close(): Promise<void> {}

  sign(text: string): string {
    return signText(this.#keys.privateKey, text);
  }

  isSigned(text: string, signature: string): boolean {
    return isSignedBy(this.#keys.publicKey, text, signature);
  }

  get publicKey(): string {
    return publicText(this.#keys.privateKey);
  }

  secret(purpose: string): Uint8Array {
    return derivedSecret(this.#keys.privateKey, purpose);
  }

  get #keys() {
    this.#pair ??= generateKeyPairSync("ed25519");
    return this.#pair;
  }
}
