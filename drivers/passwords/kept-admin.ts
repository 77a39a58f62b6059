import { readFileSync } from "node:fs";
import { writeSecret } from "../token/token-file.ts";

/** The first administrator's hash beside the store, and whether anybody was shown the password it was made of. */
export interface KeptAdmin {
  hash: string;
  seen: boolean;
}

/** In a file that only its owner can read; a platform without a home keeps it in memory. */
export class AdminFile {
  readonly #file: string | null;
  #kept: KeptAdmin | null = null;

  constructor(file: string | null) {
    this.#file = file;
  }

  read(): KeptAdmin | null {
    if (this.#file === null || this.#kept) return this.#kept;
    try {
      this.#kept = JSON.parse(readFileSync(this.#file, "utf8")) as KeptAdmin;
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError;
      if (!missing) throw error;
    }
    return this.#kept;
  }

  write(kept: KeptAdmin): void {
    if (this.#file !== null) writeSecret(this.#file, `${JSON.stringify(kept)}\n`);
    this.#kept = kept;
  }
}
