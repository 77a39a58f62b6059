/** Between playback's machine and the world around it: reports become events, events get their moment. */
import type { AnyEventObject, AnyStateMachine } from "xstate";
import type { AudioSource } from "../../drivers/audio/audio.ts";
import type { Store } from "../../drivers/store/store.ts";
import { emptyListing, type Listing } from "../../machines/appliance/library-listing.ts";
import {
  emptyRecord,
  type PlaybackContext,
  type PlaybackRecord,
} from "../../machines/appliance/playback-context.ts";
import type { PlaybackReport, Reading, Source } from "../../machines/appliance/playback-events.ts";
import type { ChildContext } from "../client.ts";
import type { PortEvent } from "./audio-port.ts";
import type { Favorites } from "./favorites.ts";
import type { Library } from "./library.ts";
import type { PlaybackSources } from "./playback-sources.ts";
import type { Settings } from "./settings.ts";

/** Gives every event, timers included, the moment at which it came: a machine has no clock. */
export function stamp(machine: AnyStateMachine, read: () => Reading): void {
  const transition = machine.transition.bind(machine);
  machine.transition = (snapshot, event: AnyEventObject, scope) =>
    transition(snapshot, { ...event, reading: read() }, scope);
}

/** What the machine calls a report of the output; positions it reads for itself. */
export function heardFrom(event: PortEvent): PlaybackReport | null {
  switch (event.type) {
    case "loaded":
      return { type: "TRACK_LOADED", token: event.token, durationMs: event.durationMs };
    case "failed":
      return { type: "TRACK_FAILED", token: event.token, reason: event.reason };
    case "ended":
      return { type: "TRACK_ENDED", token: event.token };
    case "buffering":
      return { type: "STREAM_STARVED", token: event.token, active: event.active };
    case "reconnecting":
      return { type: "STREAM_DROPPED", token: event.token };
    case "metadata":
      return { type: "STREAM_TITLED", token: event.token, title: event.title };
    case "underrun":
      return { type: "OUTPUT_UNDERRAN" };
    case "up":
      return { type: "OUTPUT_FOUND" };
    case "down":
      return { type: "OUTPUT_LOST" };
    case "position":
      return null;
  }
}

export async function audioSource(sources: PlaybackSources, source: Source): Promise<AudioSource> {
  if (source.kind === "stream") return { kind: "stream", url: source.url };
  return { kind: "file", path: source.kind === "chime" ? source.path : await sources.open(source.path) };
}

export async function countPlay(favorites: Favorites, source: Source): Promise<void> {
  if (source.kind === "stream") {
    await favorites.ask({ type: "COUNT_PLAY", played: { type: "stream", url: source.url } });
  } else if (source.kind === "file" && source.surah > 0) {
    const { reciter, surah } = source;
    await favorites.ask({ type: "COUNT_PLAY", played: { type: "surah", reciter, surah } });
  }
}

/** What was stored; without a store playback starts from nothing rather than not at all. */
export async function storedRecord(
  store: Store,
  collection: string,
  { log }: ChildContext,
): Promise<PlaybackRecord> {
  try {
    const { id: _, version: __, ...record } = (await store.get(collection, "playback")) ?? {};
    return { ...emptyRecord, ...(record as Partial<PlaybackRecord>) };
  } catch (error) {
    log.warn({ err: error }, "the saved position could not be read");
    return emptyRecord;
  }
}

export function resumesAtBoot({ tree }: ChildContext): boolean {
  try {
    const settings: Settings = tree.client("appliance/settings");
    return settings.view().auto_resume;
  } catch {
    return false;
  }
}

/** The library may be away; then there is no card to speak of. */
export function cardOf(library: Library): { present: boolean; listing: Listing } {
  try {
    return library.view();
  } catch {
    return { present: false, listing: emptyListing };
  }
}

/** Whose surahs come next and before: during an adhan, of what it interrupts. */
export function reciterOf({ adhan, kept, source }: PlaybackContext): string {
  const on = adhan === null ? source : (kept?.source ?? null);
  return on?.kind === "file" ? on.reciter : "";
}
