/** Ed25519 keys and SHA-256, as the chains use them. */
import { createHash, createPublicKey, hkdfSync, type KeyObject, sign, verify } from "node:crypto";

export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

export function signText(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text, "utf8"), key).toString("base64url");
}

/** False for anything that is not a signature by this key, never a throw. */
export function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  // Node decodes leniently; only the one spelling that we write counts.
  if (bytes.length !== 64 || bytes.toString("base64url") !== signature) return false;
  return verify(null, Buffer.from(text, "utf8"), key, bytes);
}

/** The public half as base64 of its SubjectPublicKeyInfo. */
export function publicText(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
}

/** Throws when the text is no Ed25519 public key. */
export function publicKeyOf(text: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(text, "base64"), type: "spki", format: "der" });
  if (key.asymmetricKeyType !== "ed25519") throw new Error("not an Ed25519 key");
  return key;
}

/** A secret for one purpose from the private key: knowing one tells nothing of another. */
export function derivedSecret(key: KeyObject, purpose: string): Uint8Array {
  const seed = key.export({ type: "pkcs8", format: "der" });
  return new Uint8Array(hkdfSync("sha256", seed, "minaret", purpose, 32));
}
