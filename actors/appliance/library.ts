import { createActor } from "xstate";
import { CardWatch, type CardWatchOptions } from "../../drivers/library/card-watch.ts";
import { ensureDemoCard } from "../../drivers/library/demo-card.ts";
import { DurationReader } from "../../drivers/library/duration-reader.ts";
import { readDurationMs } from "../../drivers/library/read-tags.ts";
import { scanCard } from "../../drivers/library/scan.ts";
import type { Logger } from "../../drivers/log/log.ts";
import type { Store } from "../../drivers/store/store.ts";
import {
  type LibraryCommand,
  type LibraryView,
  libraryMachine,
  viewOf,
} from "../../machines/appliance/library.ts";
import type { Client, Start } from "../client.ts";

export type Library = Client<LibraryCommand, LibraryView>;

export interface LibraryDeps {
  card: string;
  store: Store;
  /** Fill a card folder that does not exist with tones, at the first start. */
  demo: boolean;
  watch?: CardWatchOptions;
}

/** What is on the card: scanned at the start and after each change; the start waits for the first scan. */
export function startLibrary({ card, store, demo, watch }: LibraryDeps): Start {
  let isFirst = true;
  return async ({ inspect, log }) => {
    if (demo && isFirst) await writeDemo(card, log);
    isFirst = false;
    const reader = new DurationReader({ card, store, durationOf: readDurationMs });
    const { promise: scannedOnce, resolve: scanned } = Promise.withResolvers<void>();
    const machine = libraryMachine.provide({
      actions: {
        scan: () => {
          reader.stop();
          scanCard(card)
            .then(
              (listing) => ref.send({ type: "SCANNED", listing }),
              (error: unknown) => ref.send({ type: "SCAN_FAILED", reason: String(error) }),
            )
            .finally(scanned);
        },
        readDurations: (_, { listing }) => {
          reader
            .read(listing, (durations) => ref.send({ type: "DURATIONS_READ", durations }))
            .catch((error: unknown) => log.warn({ err: error }, "the lengths could not be kept"));
        },
      },
    });
    const ref = createActor(machine, { inspect });
    const watcher = new CardWatch(card, () => ref.send({ type: "CARD_CHANGED" }), watch);
    await watcher.open();
    ref.start();
    await scannedOnce;
    return {
      ref,
      speech: { refusalOf: () => null, viewOf, waits: [] },
      close: async () => {
        reader.stop();
        await watcher.close();
      },
    };
  };
}

/** A card that cannot be written is one that is not there: an event later, not an error now. */
async function writeDemo(card: string, log: Logger): Promise<void> {
  try {
    if (await ensureDemoCard(card)) log.info({ card }, "wrote a demo library");
  } catch (error) {
    log.warn({ err: error, card }, "there is no card, and no demo library could be written");
  }
}
