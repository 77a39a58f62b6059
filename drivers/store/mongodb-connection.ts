import type { Db, MongoClient } from "mongodb";
import { DomainError } from "../../machines/errors.ts";
import { Availability } from "./availability.ts";

const reachable = new Set(["Standalone", "RSPrimary", "Mongos", "LoadBalancer"]);

/** One MongoDB address: reached or not, tried again for ever, and every call answered in time. */
export class MongoConnection extends Availability {
  private readonly address: string;
  private client: MongoClient | null = null;
  private again: NodeJS.Timeout | undefined;
  private wanted = false;

  constructor(address: string) {
    super();
    this.address = address;
  }

  /** Resolves after the first attempt, whatever came of it. `prepare` runs once, before the store counts as up. */
  async open(prepare: (db: Db) => Promise<void>): Promise<void> {
    if (this.wanted) return;
    this.wanted = true;
    const { MongoClient } = await import("mongodb");
    this.client = new MongoClient(this.address, {
      serverSelectionTimeoutMS: 1_500,
      connectTimeoutMS: 1_500,
      heartbeatFrequencyMS: 1_000,
      maxPoolSize: 32,
      writeConcern: { w: "majority" },
    });
    let prepared = false;
    this.client.on("topologyDescriptionChanged", ({ newDescription }) => {
      const found = [...newDescription.servers.values()].some(({ type }) => reachable.has(type));
      const [error] = [...newDescription.servers.values()].flatMap((server) => server.error ?? []);
      if (this.wanted && prepared && found) this.rise();
      else if (!found) this.fall(error?.message ?? "no server that takes writes was found");
    });
    const attempt = async () => {
      try {
        await this.client!.connect();
        await prepare(this.db);
        prepared = true;
        if (this.wanted) this.rise();
      } catch (error) {
        this.fall((error as Error).message);
        if (error instanceof DomainError) {
          this.wanted = false;
          throw error;
        }
        if (this.wanted) this.again = setTimeout(() => void attempt().catch(() => {}), 500).unref();
      }
    };
    await attempt();
  }

  async close(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.again);
    this.fall("it was closed");
    const client = this.client;
    this.client = null;
    await client?.close();
  }

  /** The database of the address, or `minaret`. */
  get db(): Db {
    if (!this.client) throw down();
    return this.client.db(/^[^:]+:\/\/[^/]+\/([^?]+)/.exec(this.address)?.[1] ?? "minaret");
  }

  /** Known to be down: refused at once. Otherwise whatever takes too long is refused as well. */
  async within<T>(limitMs: number, work: (db: Db) => Promise<T>): Promise<T> {
    if (!this.up) throw down(new Error(this.reason ?? ""));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(down()), limitMs);
    });
    const done = work(this.db).catch((error: unknown) => {
      throw isNetwork(error) ? down(error) : error;
    });
    done.catch(() => {});
    try {
      return await Promise.race([done, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const down = (cause?: unknown) => new DomainError("unavailable", "the store is not available", { cause });

/** Errors that an answering server or a wrong call gives; whatever else the driver throws is a server that is gone. */
const answered = /^Mongo(Server|BulkWrite|WriteConcern|InvalidArgument|API|Compatibility)Error$/;

function isNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name.startsWith("Mongo") && !answered.test(error.name)) return true;
  // It steps down or shuts down, and says so.
  return (
    "hasErrorLabel" in error &&
    (error as { hasErrorLabel(label: string): boolean }).hasErrorLabel("RetryableWriteError")
  );
}
