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
}

/** PC/SC's pseudo command for a contactless card's UID; the last two bytes of the answer are its status. */
const getUid = [0xff, 0xca, 0x00, 0x00, 0x00];
const succeeded = 0x9000;

/** A reader behind pcscd. */
export class PcscReader implements NfcDriver {
  readonly name = "pcsc";
  readonly #listeners = new Set<(event: ReaderEvent) => void>();
  #devices: Devices | null = null;

  async open(): Promise<void> {
    const { Devices } = (await import("smartcard" as string).catch((cause) => {
      throw new DomainError("unavailable", "the PC/SC library is not installed", { cause });
    })) as { Devices: new () => Devices };
    const devices = new Devices();
    let starting = true;
    let failure: unknown;
    devices.on("error", (error: Error) => {
      if (starting) failure = error;
      else this.#tell({ type: "reader_lost", reason: error.message });
    });
    devices.on("reader-attached", () => this.#tell({ type: "reader_found" }));
    devices.on("reader-detached", () =>
      this.#tell({ type: "reader_lost", reason: "the reader was unplugged" }),
    );
    devices.on("card-inserted", ({ card }: { card: Card }) => void this.#read(card));
    devices.on("card-removed", () => this.#tell({ type: "lost" }));
    devices.start();
    starting = false;
    if (failure) throw new DomainError("unavailable", "no PC/SC service answers", { cause: failure });
    this.#devices = devices;
  }

  async close(): Promise<void> {
    this.#devices?.stop();
    this.#devices = null;
    this.#listeners.clear();
  }

  listen(listener: (event: ReaderEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A card that was pulled away while it was read is simply not seen. */
  async #read(card: Card): Promise<void> {
    try {
      const answer = await card.transmit(getUid);
      if (answer.length < 3 || answer.readUInt16BE(answer.length - 2) !== succeeded) return;
      this.#tell({ type: "seen", uid: answer.subarray(0, -2).toString("hex").toUpperCase() });
    } catch {
      this.#tell({ type: "lost" });
    }
  }

  #tell(event: ReaderEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
