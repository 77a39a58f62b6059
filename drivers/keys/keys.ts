/** The platform's signing keys: what is signed with them, and what a stranger needs to check it. */
export interface Keys {
  open(): Promise<void>;
  close(): Promise<void>;
  /** Ed25519 over the text's UTF-8, in base64url. */
  sign(text: string): string;
  /** Whether any key that this platform ever signed with made the signature. */
  isSigned(text: string, signature: string): boolean;
  /** SubjectPublicKeyInfo in base64, for exports that are verified elsewhere. */
  readonly publicKey: string;
  /** A secret of its own for each purpose, 32 bytes: tokens, challenges. */
  secret(purpose: string): Uint8Array;
}
