import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { DomainError } from "../../machines/errors.ts";
import type { Passwords } from "./passwords.ts";

interface Cost {
  N: number;
  r: number;
  p: number;
}

/** 32 MiB and some tens of milliseconds on a small server. */
const usual: Cost = { N: 2 ** 15, r: 8, p: 1 };
/** Node's thread pool has four threads, which file reads need as well. */
const lanes = 2;
const waitingMost = 200;
const bytes = 32;

/** scrypt in Node's thread pool, a few at a time, so that a flood of logins is refused and not queued for ever. */
export class ScryptPasswords implements Passwords {
  readonly #cost: Cost;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(cost: Cost = usual) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    const { N, r, p } = this.#cost;
    const salt = randomBytes(16);
    const key = await this.#inTurn(() => derive(password, salt, this.#cost));
    return ["scrypt", N, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
  }

  async matches(password: string, hash: string): Promise<boolean> {
    const [name, N, r, p, salt, wanted] = hash.split("$");
    if (name !== "scrypt" || !salt || !wanted) return false;
    const cost = { N: Number(N), r: Number(r), p: Number(p) };
    const key = await this.#inTurn(() => derive(password, Buffer.from(salt, "base64url"), cost));
    const expected = Buffer.from(wanted, "base64url");
    return expected.length === key.length && timingSafeEqual(expected, key);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= lanes) {
      if (this.#waiting.length >= waitingMost)
        throw new DomainError("overloaded", "too many log in at once; try again soon");
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** The same password typed on another keyboard may come composed in another way. */
function derive(password: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, bytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
