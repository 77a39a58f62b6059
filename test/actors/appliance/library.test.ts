import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { applianceCollections } from "../../../actors/appliance/collections.ts";
import { type Library, startLibrary } from "../../../actors/appliance/library.ts";
import { type RunningTree, startTree } from "../../../actors/tree.ts";
import { DurationReader } from "../../../drivers/library/duration-reader.ts";
import { readDurationMs } from "../../../drivers/library/read-tags.ts";
import { scanCard } from "../../../drivers/library/scan.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { LibraryView } from "../../../machines/appliance/library.ts";
import { makeCard, sound } from "../../drivers/library/make-card.ts";

let store: Store;
let tree: RunningTree | undefined;

async function start(card: string, demo = false): Promise<Library> {
  store = await openStore(join(makeCard(), "store.db"), applianceCollections);
  const watch = { settleMs: 20, longestMs: 100, pollMs: 20 };
  const library = {
    id: "library",
    start: startLibrary({ card, store, demo, watch }),
    restart: "permanent",
  } as const;
  const appliance = { id: "appliance", strategy: "one_for_one", children: [library] } as const;
  tree = await startTree(
    { id: "root", strategy: "one_for_one", children: [appliance] },
    { log: openLog("silent") },
  );
  return tree.client("appliance/library");
}

/** The first view, now or later, that is as wanted. */
function until(library: Library, wanted: (view: LibraryView) => boolean): Promise<LibraryView> {
  const { promise, resolve } = Promise.withResolvers<LibraryView>();
  const stop = library.watch((view) => wanted(view) && resolve(view));
  if (wanted(library.view())) resolve(library.view());
  return promise.finally(stop);
}

const durations = (view: LibraryView) =>
  view.listing.reciters.flatMap(({ tracks }) => tracks.map((t) => t.durationMs));

describe("the library", () => {
  afterEach(async () => {
    await tree?.drain();
    await store.close();
  });

  it("runs without a card where no demo library can be written", async () => {
    const folder = makeCard({ "a-file": "x" });
    const library = await start(join(folder, "a-file", "card"), true);
    expect(library.view()).toMatchObject({ present: false, reciters: [] });
  });

  it("shows the card as soon as it runs, and the lengths a little later", async () => {
    const library = await start(
      makeCard({ "R/001.wav": sound(2), "R/002.wav": sound(1), "R/003.mp3": "rubbish" }),
    );
    expect(library.view()).toMatchObject({ present: true, reciters: [{ name: "R", surah_count: 3 }] });
    const view = await until(library, (now) => durations(now).filter((ms) => ms > 0).length === 2);
    expect(durations(view)).toEqual([2_000, 1_000, 0]);
  });

  it("follows the card: a new file, the card taken out, the card put back", async () => {
    const card = makeCard({ "R/001.wav": sound(1) });
    const library = await start(card);
    writeFileSync(join(card, "R/002.wav"), sound(1));
    await until(library, ({ reciters }) => reciters[0]?.surah_count === 2);
    renameSync(card, `${card}.away`);
    expect(await until(library, ({ present }) => !present)).toMatchObject({ reciters: [], ignored: 0 });
    renameSync(`${card}.away`, card);
    const back = await until(library, (now) => now.present && durations(now).every((ms) => ms === 1_000));
    expect(back.reciters).toHaveLength(1);
  });

  it("writes the demo library once, at the first start", async () => {
    const card = join(makeCard(), "card");
    const library = await start(card, true);
    expect(library.view().reciters).toHaveLength(2);
    rmSync(card, { recursive: true });
    await until(library, ({ present }) => !present);
    await library.ask({ type: "RESCAN" });
    expect(await until(library, ({ scanning }) => !scanning)).toMatchObject({ present: false });
  });

  it("starts without a card", async () => {
    const library = await start(join(makeCard(), "none"));
    expect(library.view()).toMatchObject({ present: false, reciters: [] });
  });
});

describe("the lengths", () => {
  afterEach(() => store.close());

  it("of an unchanged card are not read again, of a changed file they are, and rubbish is read once", async () => {
    const card = makeCard({ "R/001.wav": sound(1), "R/002.mp3": "rubbish", "S/001.wav": sound(2) });
    store = await openStore(join(makeCard(), "store.db"), applianceCollections);
    const read = async () => {
      const reader = new DurationReader({ card, store, durationOf: readDurationMs });
      const found = new Map<string, number>();
      await reader.read((await scanCard(card))!, (batch) => {
        for (const [path, ms] of batch) found.set(path, ms);
      });
      return { found: Object.fromEntries(found), filesRead: reader.filesRead };
    };
    const lengths = { "R/001.wav": 1_000, "S/001.wav": 2_000 };
    expect(await read()).toEqual({ found: lengths, filesRead: 3 });
    expect(await read()).toEqual({ found: lengths, filesRead: 0 });
    writeFileSync(join(card, "R/001.wav"), sound(3));
    expect(await read()).toEqual({ found: { ...lengths, "R/001.wav": 3_000 }, filesRead: 1 });
  });

  it("of a file that could not be read are tried again", async () => {
    const card = makeCard({ "R/001.wav": sound(1) });
    store = await openStore(join(makeCard(), "store.db"), applianceCollections);
    const listing = (await scanCard(card))!;
    const found: number[] = [];
    const read = (durationOf: (path: string) => Promise<number>) =>
      new DurationReader({ card, store, durationOf }).read(listing, (batch) => found.push(...batch.values()));
    await read(() => Promise.reject(Object.assign(new Error("EIO"), { syscall: "read" })));
    await read(readDurationMs);
    expect(found).toEqual([1_000]);
  });
});
