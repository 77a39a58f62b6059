import type { EventEmitter } from "node:events";
import { DomainError } from "../../machines/errors.ts";
import type { NfcDriver, ReaderEvent } from "./nfc.ts";

/** As much of the optional package `smartcard` as is used here; it is not there where it could not be compiled. */
interface Card {
  transmit(apdu: number[]): Promise<Buffer>;
}

interface Devices extends EventEmitter {
  start(): void;
  stop(): void;
  listReaders(): unknown[];
}

interface Inserted {
  reader: { name: string };
  card: Card;
}

/** PC/SC's pseudo command for a contactless card's UID; the last two bytes of the answer are its status. */
const getUid = [0xff, 0xca, 0x00, 0x00, 0x00];
const succeeded = 0x9000;

/** Readers behind pcscd, taken as one: the card that was laid down last counts. */
export class PcscReader implements NfcDriver {
  readonly name = "pcsc";
  readonly #retryMs: number;
  readonly #listeners = new Set<(event: ReaderEvent) => void>();
  readonly #readers = new Set<string>();
  #devices: Devices | null = null;
  /** The reader with the card that was told last. */
  #occupied: string | null = null;
  #again: NodeJS.Timeout | undefined;

  constructor({ retryMs = 2_000 }: { retryMs?: number } = {}) {
    this.#retryMs = retryMs;
  }

  async open(): Promise<void> {
    const { Devices } = (await import("smartcard" as string).catch((cause) => {
      throw new DomainError("unavailable", "the PC/SC library is not installed", { cause });
    })) as { Devices: new () => Devices };
    this.#start(() => new Devices());
  }

  async close(): Promise<void> {
    clearTimeout(this.#again);
    this.#listeners.clear();
    this.#stop();
  }

  listen(listener: (event: ReaderEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #start(make: () => Devices): void {
    const devices = make();
    let starting = true;
    let failure: unknown;
    devices.on("error", (error: Error) => {
      if (starting) failure = error;
      // A card that was pulled away while it was connected is an error of its own; the reader is still there.
      else if (devices === this.#devices && devices.listReaders().length === 0) this.#restart(make, error);
    });
    devices.on("reader-attached", ({ name }: { name: string }) => {
      this.#readers.add(name);
      if (this.#readers.size === 1) this.#tell({ type: "reader_found" });
    });
    devices.on("reader-detached", ({ name }: { name: string }) => {
      this.#readers.delete(name);
      if (this.#readers.size === 0) this.#tell({ type: "reader_lost", reason: "the reader was unplugged" });
    });
    devices.on("card-inserted", ({ reader, card }: Inserted) => void this.#read(reader.name, card));
    devices.on("card-removed", ({ reader }: Inserted) => this.#lose(reader.name));
    devices.start();
    starting = false;
    if (failure) {
      devices.stop();
      throw new DomainError("unavailable", "no PC/SC service answers", { cause: failure });
    }
    this.#devices = devices;
  }

  /** pcscd is gone, and with it every handle: only a new connection finds the next one. */
  #restart(make: () => Devices, { message }: Error): void {
    this.#stop();
    this.#tell({ type: "reader_lost", reason: message });
    const retry = () => {
      try {
        this.#start(make);
      } catch {
        this.#again = setTimeout(retry, this.#retryMs).unref();
      }
    };
    this.#again = setTimeout(retry, this.#retryMs).unref();
  }

  #stop(): void {
    const devices = this.#devices;
    this.#devices = null;
    this.#readers.clear();
    this.#occupied = null;
    devices?.stop();
  }

  /** A card that was pulled away while it was read is simply not seen. */
  async #read(reader: string, card: Card): Promise<void> {
    const answer = await card.transmit(getUid).catch(() => Buffer.alloc(0));
    if (answer.length < 3 || answer.readUInt16BE(answer.length - 2) !== succeeded) return;
    this.#occupied = reader;
    this.#tell({ type: "seen", uid: answer.subarray(0, -2).toString("hex").toUpperCase() });
  }

  #lose(reader: string): void {
    if (reader !== this.#occupied) return;
    this.#occupied = null;
    this.#tell({ type: "lost" });
  }

  #tell(event: ReaderEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
