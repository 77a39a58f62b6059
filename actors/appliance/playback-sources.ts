import { readdir } from "node:fs/promises";
import { resolveOnCard } from "../../drivers/library/card-path.ts";
import type { ListedSurah } from "../../machines/appliance/hifz.ts";
import { findReciter, type Listing } from "../../machines/appliance/library-listing.ts";
import { sameName } from "../../machines/appliance/library-names.ts";
import type { PlayRequest, Source } from "../../machines/appliance/playback-events.ts";
import { DomainError } from "../../machines/errors.ts";

export interface Found {
  source: Source;
  surahs: readonly ListedSurah[];
}

export interface SourceDeps {
  card: string;
  listing(): Listing;
  /** The stream checks, DNS included; gives the URL in its canonical form or throws naming `url`. */
  checkUrl(url: string): Promise<string>;
}

/** Finds what a request names, or throws with the field that is to blame. */
export class PlaybackSources {
  readonly #deps: SourceDeps;
  /** Where the file lies that was just found, so that starting it does not look again. */
  #justFound: { path: string; absolute: string } | null = null;

  constructor(deps: SourceDeps) {
    this.#deps = deps;
  }

  async find(request: PlayRequest): Promise<Found> {
    if ("url" in request) {
      const url = await this.#deps.checkUrl(request.url);
      return { source: { kind: "stream", url, name: request.name ?? "" }, surahs: [] };
    }
    if ("path" in request) return this.#file(request.path);
    const reciter = findReciter(this.#deps.listing(), request.reciter);
    if (!reciter) throw new DomainError("not_found", "this reciter is not on the card", { field: "reciter" });
    const track = reciter.tracks.find(({ number }) => number === request.surah);
    if (!track) throw new DomainError("not_found", "this surah is not on the card", { field: "surah" });
    return this.#file(track.path);
  }

  /** The file itself, inside the card through links too. */
  async open(path: string): Promise<string> {
    const known = this.#justFound;
    this.#justFound = null;
    return known?.path === path ? known.absolute : (await resolveOnCard(this.#deps.card, path)).absolute;
  }

  surahs(reciter: string): readonly ListedSurah[] {
    const found = reciter === "" ? null : findReciter(this.#deps.listing(), reciter);
    return found?.tracks.map(({ number, path }) => ({ number, path })) ?? [];
  }

  /** An unmounted card leaves no folder, or an empty one. */
  async cardIsGone(): Promise<boolean> {
    const entries = await readdir(this.#deps.card).catch(() => []);
    return entries.length === 0;
  }

  async #file(asked: string): Promise<Found> {
    const file = await resolveOnCard(this.#deps.card, asked);
    this.#justFound = file;
    const { path } = file;
    const reciter = findReciter(this.#deps.listing(), path.split("/", 1)[0] ?? "");
    const wanted = sameName(path);
    const track = reciter?.tracks.find((candidate) => sameName(candidate.path) === wanted);
    if (!reciter || !track) return { source: { kind: "file", path, reciter: "", surah: 0 }, surahs: [] };
    const source: Source = { kind: "file", path, reciter: reciter.name, surah: track.number };
    return { source, surahs: this.surahs(reciter.name) };
  }
}
