import type { SnapshotFrom } from "xstate";
import type { Refusal } from "../errors.ts";
import { type Advance, neighbour } from "./hifz.ts";
import type { playbackMachine } from "./playback.ts";
import { isLive, type PlaybackContext } from "./playback-context.ts";
import type { PlaybackCommand, Source } from "./playback-events.ts";

type Snapshot = SnapshotFrom<typeof playbackMachine>;

const noCard: Refusal = { code: "unavailable", message: "the card is not in the device" };

/** Why a command is not taken now; null when it is. */
export function refusalOf(snapshot: Snapshot, command: PlaybackCommand): Refusal | null {
  const { context } = snapshot;
  if (!snapshot.matches("open")) return { code: "unavailable", message: "playback is shutting down" };
  switch (command.type) {
    case "PAUSE":
      return context.phase === "off" ? conflict("nothing is playing") : null;
    case "RESUME":
      if (context.phase === "off") return conflict("nothing is paused");
      return snapshot.matches({ open: "cardless" }) ? noCard : null;
    case "SEEK":
      return refusedSeek(snapshot, command.position);
    case "SET_VOLUME":
      return volumeRefusal(command.volume);
    case "NEXT":
      return refusedNeighbour(context, 1);
    case "PREV":
      return refusedNeighbour(context, -1);
    case "RESUME_SAVED":
      if (context.saved === null) return conflict("there is no saved position");
      return cardless(context, context.saved.source) ? noCard : volumeRefusal(command.volume);
    case "SET_MODE":
      return modeRefusal(command.advance);
    case "PLAY_ADHAN":
      return context.adhan === null ? null : conflict("an adhan is already playing");
    case "PLAY":
      return volumeRefusal(command.volume);
    case "STOP":
    case "END_ADHAN":
      return null;
  }
}

function refusedSeek(snapshot: Snapshot, position: number): Refusal | null {
  if (!Number.isFinite(position) || position < 0) {
    return {
      code: "invalid_input",
      message: "position: must be a number of milliseconds from 0",
      field: "position",
    };
  }
  if (!snapshot.matches({ open: "on" })) return conflict("position: nothing is loaded", "position");
  return isLive(snapshot.context) ? conflict("position: a live stream has none", "position") : null;
}

function refusedNeighbour(context: PlaybackContext, direction: 1 | -1): Refusal | null {
  const { source, advance, surahs, adhan } = context;
  if (adhan !== null) return conflict("an adhan is playing");
  if (source?.kind !== "file" || source.reciter === "") return conflict("there is no current reciter");
  if (cardless(context, source)) return noCard;
  if (neighbour(advance, source.surah, direction, surahs) !== null) return null;
  return conflict(`there is no ${direction === 1 ? "next" : "previous"} surah on the card`);
}

function volumeRefusal(volume: number | undefined): Refusal | null {
  const fits = volume === undefined || (Number.isInteger(volume) && volume >= 0 && volume <= 100);
  return fits
    ? null
    : { code: "invalid_input", message: "volume: must be a whole number from 0 to 100", field: "volume" };
}

/** The boundary checks these too; a command may also come from inside. */
function modeRefusal(advance: Advance): Refusal | null {
  if (advance.mode !== "hifz_repeat" && advance.mode !== "hifz_ab") return null;
  const invalid = (field: string, message: string): Refusal => ({
    code: "invalid_input",
    message: `${field}: ${message}`,
    field,
  });
  if (!(advance.pauseS >= 0 && advance.pauseS <= 600)) return invalid("pause_s", "must be from 0 to 600");
  const least = advance.mode === "hifz_ab" ? 1 : 0;
  if (!Number.isInteger(advance.repeat) || advance.repeat < least) {
    return invalid("repeat", `must be a whole number from ${least}`);
  }
  if (advance.mode === "hifz_ab" && advance.ab.from > advance.ab.to) {
    return invalid("ab", "from must not be greater than to");
  }
  return null;
}

function cardless({ cardIn }: PlaybackContext, source: Source): boolean {
  return source.kind === "file" && !cardIn;
}

function conflict(message: string, field?: string): Refusal {
  return field === undefined ? { code: "conflict", message } : { code: "conflict", message, field };
}
