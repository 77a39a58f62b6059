import type { Db, MongoBulkWriteError, OptionalUnlessRequiredId } from "mongodb";
import type { Held } from "./mongodb-doc.ts";

/** Server code of a unique key that is taken. */
const taken = 11000;
/** The process that wrote the record is usually just about to copy them itself. */
const graceMs = [5, 15, 40];

/**
 * Appended documents travel inside their record, since only a single document is written atomically.
 * They are copied out under their own ids, then removed; whoever meets some that are left finishes that.
 */
export class PendingDocs {
  /** What this process is copying right now, by collection and id. */
  private readonly running = new Map<string, Promise<void>>();

  /** Done when the copies are in their places; the record lets go of them a moment later. */
  async copyOut(db: Db, collection: string, held: Held): Promise<void> {
    const key = `${collection}/${held._id}`;
    const copied = this.copy(db, held);
    const finished = copied.then(() => this.letGo(db, collection, held));
    const settled = finished
      .catch(() => {})
      .finally(() => {
        if (this.running.get(key) === settled) this.running.delete(key);
      });
    this.running.set(key, settled);
    await copied;
  }

  /** The record without anything pending, or null when it is gone. */
  async settled(db: Db, collection: string, id: string, found?: Held | null): Promise<Held | null> {
    await this.settledHere(collection, id);
    const read = () => db.collection<Held>(collection).findOne({ _id: id });
    let held = found === undefined || found?.["%pending"] ? await read() : found;
    for (const pause of graceMs) {
      if (!held?.["%pending"]) return held;
      await new Promise((resolve) => setTimeout(resolve, pause));
      held = await read();
    }
    if (!held?.["%pending"]) return held;
    await this.copy(db, held);
    await this.letGo(db, collection, held);
    return read();
  }

  /** Waits for what this process itself is copying. */
  async settledHere(collection: string, id: string): Promise<void> {
    await this.running.get(`${collection}/${id}`);
  }

  /** Finishes what a process left behind that did not come back; looks by an index, so it is cheap. */
  async sweep(db: Db, collection: string, before: number): Promise<void> {
    const left = await db
      .collection<Held>(collection)
      .find({ "%since": { $lte: before } })
      .limit(100)
      .toArray();
    for (const held of left) await this.settled(db, collection, held._id, held);
  }

  async drained(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async copy(db: Db, held: Held): Promise<void> {
    const groups = Map.groupBy(held["%pending"] ?? [], (pending) => pending.collection);
    await Promise.all(
      [...groups].map(([collection, group]) =>
        insertNew(
          db,
          collection,
          group.map((pending) => pending.doc),
        ),
      ),
    );
  }

  private async letGo(db: Db, collection: string, held: Held): Promise<void> {
    await db
      .collection<Held>(collection)
      .updateOne({ _id: held._id, version: held.version }, { $unset: { "%pending": "", "%since": "" } });
  }
}

/** Inserts what is new; what is there already stays as it is. */
export async function insertNew(db: Db, collection: string, docs: Held[]): Promise<number> {
  if (docs.length === 0) return 0;
  try {
    const rows = docs as OptionalUnlessRequiredId<Held>[];
    return (await db.collection<Held>(collection).insertMany(rows, { ordered: false })).insertedCount;
  } catch (error) {
    if (!isTaken(error)) throw error;
    // Counted by the refusals: not every compatible server counts what it inserted.
    const refused = [(error as MongoBulkWriteError).writeErrors ?? []].flat();
    if (refused.some(({ code }) => code !== taken)) throw error;
    return docs.length - refused.length;
  }
}

export const isTaken = (error: unknown) => error instanceof Error && "code" in error && error.code === taken;
