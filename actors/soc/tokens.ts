/** Access tokens: HS256, an hour, with the user, the role and the token version. */
import { randomUUID } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Keys } from "../../drivers/keys/keys.ts";
import { type Role, roles } from "../../machines/soc/roles.ts";

export interface Claims {
  sub: string;
  role: Role;
  /** The token version. */
  ver: number;
  jti: string;
  /** Seconds since 1970. */
  iat: number;
  exp: number;
}

export const tokenSeconds = 3_600;
const issuer = "minaret";
/** Two processes that share the keys may differ by so many seconds. */
const clockTolerance = 5;
const remembered = 2_000;

export class Tokens {
  readonly #keys: Keys;
  readonly #now: () => number;
  /** Verified before; checking a signature costs more than all else of a small request. */
  readonly #known = new Map<string, Claims>();

  constructor(keys: Keys, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  issue(user: { username: string; role: Role; token_version: number }): Promise<string> {
    const iat = Math.floor(this.#now() / 1_000);
    return new SignJWT({ role: user.role, ver: user.token_version })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(issuer)
      .setSubject(user.username)
      .setJti(randomUUID())
      .setIssuedAt(iat)
      .setExpirationTime(iat + tokenSeconds)
      .sign(this.#secret);
  }

  /** Null for whatever is not a token of ours that counts now. */
  async read(text: string): Promise<Claims | null> {
    const claims = this.#known.get(text) ?? (await this.#verified(text));
    if (!claims || claims.exp * 1_000 <= this.#now()) return null;
    return claims;
  }

  async #verified(text: string): Promise<Claims | null> {
    try {
      const { payload } = await jwtVerify(text, this.#secret, {
        algorithms: ["HS256"],
        issuer,
        maxTokenAge: tokenSeconds,
        clockTolerance,
        requiredClaims: ["sub", "jti", "iat", "exp"],
        currentDate: new Date(this.#now()),
      });
      const { role, ver } = payload;
      if (!roles.includes(role as Role) || typeof ver !== "number") return null;
      const claims = payload as unknown as Claims;
      this.#remember(text, claims);
      return claims;
    } catch {
      return null;
    }
  }

  #remember(text: string, claims: Claims): void {
    this.#known.set(text, claims);
    if (this.#known.size > remembered) this.#known.delete(this.#known.keys().next().value!);
  }

  get #secret(): Uint8Array {
    return this.#keys.secret("access-tokens");
  }
}
