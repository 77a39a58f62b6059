/** Turns passwords into what may be stored, and checks them; slow on purpose, and never on the main loop. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** False for a hash that cannot be read as well. */
  matches(password: string, hash: string): Promise<boolean>;
}
