import type { PlaybackCommand, PlayRequest } from "../../machines/appliance/playback-events.ts";
import type { PlaybackView } from "../../machines/appliance/playback-view.ts";
import type { Target } from "../../machines/appliance/target.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Client, Tree } from "../client.ts";
import type { Station } from "./stations.ts";

type Playback = Client<PlaybackCommand, PlaybackView, { PLAY: PlaybackView; RESUME_SAVED: PlaybackView }>;
type Listed<T> = { view(): readonly T[] };
type Favorite = { id: string; name: string } & (
  | { type: "surah"; reciter: string; surah: number }
  | { type: "stream"; url: string }
);

/** Does what a schedule or a card asks for; a given volume is set before the source starts. */
export async function runTarget(tree: Tree, target: Target, volume?: number): Promise<void> {
  const playback: Playback = tree.client("appliance/playback");
  if (target.type === "stop") await playback.ask({ type: "STOP" });
  else if (target.type === "resume") await playback.ask({ type: "RESUME_SAVED", volume });
  else await playback.ask({ type: "PLAY", request: requestOf(tree, target), volume });
}

function requestOf(tree: Tree, target: Exclude<Target, { type: "stop" | "resume" }>): PlayRequest {
  switch (target.type) {
    case "surah":
      return { reciter: target.reciter, surah: target.surah };
    case "file":
      return { path: target.path };
    case "stream":
      return { url: target.url, name: target.name };
    case "station":
      return known<Station>(tree.client("appliance/stations"), target.id, "station");
    case "favorite":
      return known<Favorite>(tree.client("appliance/favorites"), target.id, "favorite");
  }
}

function known<T extends { id: string } & PlayRequest>(
  list: Listed<T>,
  id: string,
  what: string,
): PlayRequest {
  const found = list.view().find((entry) => entry.id === id);
  if (!found) throw new DomainError("not_found", `there is no ${what} ${id}`, { field: "target" });
  return "url" in found ? { url: found.url, name: "name" in found ? found.name : undefined } : found;
}
