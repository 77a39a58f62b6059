import { DomainError } from "../machines/errors.ts";

/** One piece of work at a time per key; other keys run beside it. Each queue is bounded. */
export class Mailboxes {
  private readonly tails = new Map<string, { last: Promise<unknown>; length: number }>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const box = this.tails.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (box.length >= this.limit)
      return Promise.reject(new DomainError("overloaded", "too many changes wait for this record"));
    const mine = box.last.then(work, work);
    box.last = mine.catch(() => {});
    box.length += 1;
    this.tails.set(key, box);
    void box.last.finally(() => {
      box.length -= 1;
      if (box.length === 0) this.tails.delete(key);
    });
    return mine;
  }
}
