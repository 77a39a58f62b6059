import { createActor } from "xstate";
import type { Store } from "../../drivers/store/store.ts";
import { playbackMachine } from "../../machines/appliance/playback.ts";
import { type PlaybackRecord, recordOf, volumeOf } from "../../machines/appliance/playback-context.ts";
import type {
  PlaybackCommand,
  PlaybackNotice,
  Reading,
  Source,
} from "../../machines/appliance/playback-events.ts";
import { refusalOf } from "../../machines/appliance/playback-refusals.ts";
import { type PlaybackView, statusAt, viewOf } from "../../machines/appliance/playback-view.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { steadyClock, type TreeClock } from "../supervisor-spec.ts";
import type { AudioPort, PortEvent } from "./audio-port.ts";
import type { Library } from "./library.ts";
import { LazySaver } from "./playback-saver.ts";
import { PlaybackSources } from "./playback-sources.ts";
import {
  audioSource,
  cardOf,
  countPlay,
  heardFrom,
  reciterOf,
  resumesAtBoot,
  stamp,
  storedRecord,
} from "./playback-world.ts";
import { notStored, put } from "./record-list.ts";

/** Every command that waits is answered with the status of then. */
export type Playback = Client<PlaybackCommand, PlaybackView>;

export interface PlaybackDeps {
  port: AudioPort;
  store: Store;
  card: string;
  /** The stream checks, DNS included; gives the URL in its canonical form or throws naming `url`. */
  checkUrl(url: string): Promise<string>;
  /** The appliance's clock, in milliseconds. */
  now(): number;
  /** Hears what the status alone does not say. */
  notify?(notice: PlaybackNotice): void;
  clock?: TreeClock;
}

const collection = "resume";
const readers = new WeakMap<PlaybackView, () => Reading>();

/** The status of this moment: while it plays, with the player's own position. */
export function statusNow(view: PlaybackView): PlaybackView {
  const read = readers.get(view);
  return read ? statusAt(view, read()) : view;
}

/** A snapshot is swapped after its actions have run. */
const afterThisStep = (run: () => Promise<void>) => Promise.resolve().then(run);

/** Plays one source at a time, and comes back after a crash, a restart or a power cut as it was. */
export function startPlayback(deps: PlaybackDeps): Start {
  const { port, store, clock = steadyClock } = deps;
  let incarnation = 0;
  /** What a crashed incarnation was doing. */
  let carried: PlaybackRecord | null = null;
  return async (context) => {
    const { tree, log, inspect } = context;
    const library: Library = tree.client("appliance/library");
    const sources = new PlaybackSources({ ...deps, listing: () => cardOf(library).listing });
    const read = (): Reading => ({ positionMs: port.positionMs(), at: deps.now(), mono: clock.now() });
    const resumes = carried !== null || resumesAtBoot(context);
    const record = carried ?? (await storedRecord(store, collection, context));
    carried = null;
    let loading = "";

    const load = async (token: string, source: Source, startMs: number) => {
      loading = token;
      if (!port.up) return;
      const from = await audioSource(sources, source);
      syncCard();
      if (loading !== token) return;
      const now = ref.getSnapshot().context;
      await port.load(from, { token, startMs, paused: now.held, volume: volumeOf(now) });
    };
    const loadFailed = async (token: string, error: unknown) => {
      if (!port.up) return;
      const { code, message: reason } = refusalFrom(error, "the player did not take it");
      if (code === "not_found" && (await cardWent())) return;
      ref.send({ type: "TRACK_FAILED", token, reason, code });
    };
    /** A card that is pulled out looks like a broken file; the library is made to look, too. */
    const cardWent = async () => {
      if (!(await sources.cardIsGone())) return false;
      lastCard = "";
      ref.send({ type: "CARD_REMOVED" });
      library.ask({ type: "RESCAN" }).catch(() => {});
      return true;
    };
    const saver = new LazySaver<PlaybackRecord>({
      clock,
      current: () => recordOf(ref.getSnapshot().context),
      write: (value) => put(store, collection, { id: "playback", ...value }),
      failed: (error) => log.warn({ err: error }, "the position could not be saved"),
    });
    const quietly = (done: Promise<void>) =>
      void done.catch((error: unknown) => log.debug({ err: error }, "the player did not answer"));
    const machine = playbackMachine.provide({
      actions: {
        resolveSource: (_, { id, request, volume }) => {
          sources.find(request).then(
            (found) => ref.send({ type: "SOURCE_RESOLVED", id, volume, ...found }),
            (error: unknown) =>
              ref.send({
                type: "SOURCE_REFUSED",
                id,
                refusal: refusalFrom(error, "the source could not be looked at"),
              }),
          );
        },
        loadSource: (_, { token, source, startMs }) => {
          load(token, source, startMs).catch((error: unknown) => loadFailed(token, error));
        },
        pauseOutput: () => quietly(port.pause()),
        resumeOutput: () => quietly(port.resume()),
        stopOutput: () => {
          loading = "";
          quietly(port.stop());
        },
        seekOutput: (_, { ms }) => quietly(port.seek(ms)),
        setOutputVolume: (_, { volume }) => quietly(port.setVolume(volume)),
        persist: (_, { soon }) => saver.touch(soon),
        storeMode: (_, { id }) => {
          afterThisStep(() => saver.flush()).then(
            () => ref.send({ type: "MODE_STORED", id }),
            (error: unknown) =>
              ref.send({ type: "MODE_NOT_STORED", id, refusal: refusalFrom(error, notStored) }),
          );
        },
        countPlay: (_, { source }) => {
          countPlay(tree.client("appliance/favorites"), source).catch((error: unknown) =>
            log.debug({ err: error }, "a play was not counted"),
          );
        },
        flush: () => {
          afterThisStep(() => saver.flush())
            .catch((error: unknown) => log.warn({ err: error }, "the last position could not be saved"))
            .finally(() => ref.send({ type: "STATE_FLUSHED" }));
        },
      },
    });
    stamp(machine, read);
    const input = { record, resumes, prefix: `${++incarnation}.`, outputUp: port.up, reading: read() };
    const ref = createActor(machine, { input, inspect, clock });
    ref.on("notice", ({ notice }) => {
      log.info(notice, "playback");
      deps.notify?.(notice);
    });

    let lastCard: string | null = null;
    /** Tells the machine of the card, if anything about it is new. */
    const syncCard = () => {
      const { present } = cardOf(library);
      const surahs = present ? sources.surahs(reciterOf(ref.getSnapshot().context)) : [];
      const card = present ? JSON.stringify(surahs) : "";
      if (card === lastCard) return;
      lastCard = card;
      ref.send(present ? { type: "CARD_READ", surahs } : { type: "CARD_REMOVED" });
    };
    const hear = (event: PortEvent) => {
      if (event.type === "failed" && ref.getSnapshot().context.source?.kind === "file") {
        void cardWent().then((gone) => {
          if (!gone) ref.send({ type: "TRACK_FAILED", token: event.token, reason: event.reason });
        });
        return;
      }
      const heard = heardFrom(event);
      if (heard !== null) ref.send(heard);
    };
    const stops = [port.listen(hear), library.watch(syncCard)];
    ref.start();
    syncCard();
    return {
      ref,
      speech: {
        refusalOf,
        viewOf: (snapshot) => {
          const view = viewOf(snapshot);
          readers.set(view, read);
          return view;
        },
        waits: ["PLAY", "NEXT", "PREV", "RESUME_SAVED", "SET_MODE", "PLAY_ADHAN"],
      },
      close: () => {
        for (const stop of stops) stop();
        saver.close();
        const last = ref.getSnapshot();
        if (last.status !== "error") return;
        const plays = last.matches({ open: { on: "playing" } });
        carried = recordOf(plays ? { ...last.context, positionMs: port.positionMs() } : last.context);
      },
    };
  };
}
