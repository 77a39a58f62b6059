/** Playback over a card of made-up files, the silent driver and a clock that the test moves. */

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SimulatedClock } from "xstate";
import { startAudio } from "../../../actors/appliance/audio.ts";
import { AudioPort } from "../../../actors/appliance/audio-port.ts";
import { applianceCollections } from "../../../actors/appliance/collections.ts";
import { type Playback, startPlayback, statusNow } from "../../../actors/appliance/playback.ts";
import { startTree } from "../../../actors/tree.ts";
import type { AudioDriver, AudioSource, LoadOptions } from "../../../drivers/audio/audio.ts";
import { SilentAudio } from "../../../drivers/audio/silent.ts";
import { scanCard } from "../../../drivers/library/scan.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import type { Commit, Store } from "../../../drivers/store/store.ts";
import { emptyListing } from "../../../machines/appliance/library-listing.ts";
import type { PlaybackNotice } from "../../../machines/appliance/playback-events.ts";
import type { PlaybackView } from "../../../machines/appliance/playback-view.ts";
import { defaultSettings } from "../../../machines/appliance/settings.ts";
import { DomainError } from "../../../machines/errors.ts";
import { housePolicy } from "../../drivers/audio/hear.ts";
import { standIn } from "./stand-in-child.ts";

/** A file's text is its length in milliseconds; anything else cannot be played. */
async function durationOf(path: string): Promise<number> {
  const ms = Number(await readFile(path, "utf8"));
  if (Number.isNaN(ms)) throw new DomainError("invalid_input", "it is damaged");
  return ms;
}

/** The silent driver on a simulated clock, which notes what it was told and can die. */
class MortalAudio extends SilentAudio {
  readonly loads: (AudioSource & LoadOptions)[] = [];
  readonly #deaths = new Set<(reason: string) => void>();

  override load(source: AudioSource, options: LoadOptions): Promise<void> {
    this.loads.push({ ...source, ...options });
    return super.load(source, options);
  }

  override listen(listener: Parameters<AudioDriver["listen"]>[0]): () => void {
    const die = (reason: string) => listener({ type: "died", reason });
    this.#deaths.add(die);
    const stop = super.listen(listener);
    return () => {
      this.#deaths.delete(die);
      stop();
    };
  }

  die(): void {
    const position = this.positionMs();
    this.positionMs = () => position;
    for (const die of [...this.#deaths]) die("killed by the test");
  }
}

/** The store, and whether it has come to rest. */
function watched(store: Store): Store & { idle(): Promise<void>; commits: number } {
  const pending = new Set<Promise<unknown>>();
  const follow = <T>(work: Promise<T>): Promise<T> => {
    const done = work.catch(() => {}).finally(() => pending.delete(done));
    pending.add(done);
    return work;
  };
  return Object.assign(Object.create(store) as Store, {
    commits: 0,
    close: () => store.close(),
    get: (collection: string, id: string) => follow(store.get(collection, id)),
    commit(this: { commits: number }, commit: Commit) {
      this.commits++;
      return follow(store.commit(commit));
    },
    async idle() {
      do {
        await Promise.all(pending);
        await new Promise((turn) => setImmediate(turn));
      } while (pending.size > 0);
    },
  });
}

export interface RigOptions {
  /** Files of the card by path, with their length in milliseconds or `"bad"`. */
  files?: Record<string, number | "bad">;
  /** Of an earlier rig, to start again where it left off. */
  home?: string;
  autoResume?: boolean;
}

export const surah = (number: number) => `Demo/${String(number).padStart(3, "0")}.mp3`;

export async function startRig({ files, home: old, autoResume = false }: RigOptions = {}) {
  const home = old ?? mkdtempSync(join(tmpdir(), "minaret-playback-"));
  const card = join(home, "card");
  const put = (path: string, length: number | "bad") => {
    mkdirSync(join(card, path, ".."), { recursive: true });
    writeFileSync(join(card, path), String(length));
  };
  for (const [path, length] of Object.entries(files ?? {})) put(path, length);
  const clock = new SimulatedClock();
  const log = openLog("silent");
  const store = watched(await openStore(join(home, "store.db"), applianceCollections));
  const listing = (await scanCard(card)) ?? emptyListing;
  const settings = standIn("settings", { ...defaultSettings, auto_resume: autoResume });
  const library = standIn("library", { present: true, listing });
  const favorites = standIn("favorites", {});
  const port = new AudioPort();
  let driver: MortalAudio | undefined;
  const timers = {
    now: () => clock.now(),
    after: (ms: number, run: () => void) => {
      const id = clock.setTimeout(run, ms);
      return () => clock.clearTimeout(id);
    },
  };
  const choose = async () =>
    (driver = new MortalAudio({ policy: housePolicy, durationOf, timers, reconnectMs: [] }));
  const notices: PlaybackNotice[] = [];
  const checkUrl = async (url: string) => {
    if (url.includes("forbidden")) throw new DomainError("invalid_input", "url is refused", { field: "url" });
    return url;
  };
  const playback = startPlayback({
    port,
    store,
    card,
    checkUrl,
    now: () => 1_000_000 + clock.now(),
    notify: (notice) => notices.push(notice),
    clock,
  });
  const tree = await startTree(
    {
      id: "root",
      strategy: "one_for_one",
      children: [
        {
          id: "appliance",
          strategy: "one_for_one",
          intensity: 100,
          children: [
            settings.spec,
            library.spec,
            favorites.spec,
            {
              id: "audio",
              start: startAudio({ port, choose }),
              restart: "permanent",
              backoff: { minMs: 1, maxMs: 1 },
            },
            { id: "playback", start: playback, restart: "permanent", essential: true },
          ],
        },
      ],
    },
    { log },
  );
  const client: Playback = tree.client("appliance/playback");
  /** Waits for a view, which may be there already. */
  const until = (wanted: (view: PlaybackView) => boolean): Promise<PlaybackView> => {
    const { promise, resolve } = Promise.withResolvers<PlaybackView>();
    const look = (view: PlaybackView) => {
      if (wanted(view)) resolve(view);
    };
    const stop = client.watch(look);
    look(client.view());
    return promise.finally(stop);
  };
  return {
    home,
    card,
    client,
    tree,
    store,
    notices,
    favorites,
    until,
    status: () => statusNow(client.view()),
    audio: () => driver!,
    /** Moves the clock in small steps, so that timers find it near their own time. */
    advance: (ms: number) => {
      for (let left = ms; left > 0; left -= 50) clock.increment(Math.min(50, left));
    },
    play: (path: string) => client.ask({ type: "PLAY", request: { path } }),
    put,
    /** How often something was written, once all that is due has been. */
    writes: async () => {
      await store.idle();
      return store.commits;
    },
    pullCard: () => {
      renameSync(card, `${card}-out`);
      library.show({ present: false, listing: emptyListing });
    },
    pushCard: () => {
      renameSync(`${card}-out`, card);
      library.show({ present: true, listing });
    },
    /** Ends as a power cut does: nothing is saved on the way. */
    cut: () => store.close(),
    stop: async (keep = false) => {
      await tree.drain(2_000);
      await store.close();
      if (!keep) rmSync(home, { recursive: true, force: true });
    },
  };
}

export type Rig = Awaited<ReturnType<typeof startRig>>;
