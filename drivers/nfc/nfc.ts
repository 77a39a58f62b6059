/** What a reader reports. UIDs are upper-case hex without separators. */
export type ReaderEvent =
  | { type: "seen"; uid: string }
  | { type: "lost" }
  | { type: "reader_found" }
  | { type: "reader_lost"; reason: string };

/** A card reader. `open` touches the world, `close` may be called twice. */
export interface NfcDriver {
  readonly name: "pcsc" | "memory";
  open(): Promise<void>;
  close(): Promise<void>;
  listen(listener: (event: ReaderEvent) => void): () => void;
}
