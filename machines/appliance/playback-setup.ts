/** What the chart of playback is made of: its guards, its changes, and the effects that its actor gives a body. */
import { assign, setup } from "xstate";
import type { Refusal } from "../errors.ts";
import { neighbour } from "./hifz.ts";
import {
  backoffMs,
  beginning,
  crashesAgain,
  failureAtEnd,
  finished,
  keptBy,
  lost,
  marked,
  maxAttempts,
  moved,
  noticeOf,
  readingOf,
  saving,
  skipTo,
  stepOf,
  stepped,
  untilCounted,
} from "./playback-changes.ts";
import { isLive, nameOf, type PlaybackContext, type PlaybackInput, tokenOf } from "./playback-context.ts";
import type {
  PlaybackEmitted,
  PlaybackEvent,
  PlaybackNotice,
  PlayRequest,
  Source,
} from "./playback-events.ts";

const replaced: Refusal = { code: "conflict", message: "a newer command took its place" };

const base = setup({
  types: {
    context: {} as PlaybackContext,
    input: {} as PlaybackInput,
    events: {} as PlaybackEvent,
    emitted: {} as PlaybackEmitted,
  },
  delays: {
    gapLeft: ({ context }) => context.gapLeftMs,
    untilCounted: ({ context }) => untilCounted(context),
    backoff: ({ context }) => backoffMs(context),
  },
  guards: {
    resumesAtBoot: ({ context }) => context.phase === "on" && context.source !== null,
    isRequest: ({ context, event }) => "id" in event && event.id === context.request,
    isMine: ({ context, event }) => "token" in event && event.token === tokenOf(context),
    isLoadedHeld: ({ context, event }) =>
      context.held && event.type === "TRACK_LOADED" && event.token === tokenOf(context),
    isHeld: ({ context }) => context.held,
    isStarved: ({ context }) => context.starved,
    isStarvedMine: ({ context, event }) =>
      event.type === "STREAM_STARVED" && event.active && event.token === tokenOf(context),
    isFedMine: ({ context, event }) =>
      event.type === "STREAM_STARVED" && !event.active && event.token === tokenOf(context),
    isAdhan: ({ context }) => context.adhan !== null,
    isNoAdhan: ({ context }) => context.adhan === null,
    isAdhanOnCard: ({ context }) => context.adhan !== null && context.source?.kind === "file",
    isFileOn: ({ context }) => context.source?.kind === "file",
    isWaitedFor: ({ context }) => context.waiting !== null,
    isWaitedForFile: ({ context }) => context.waiting !== null && context.source?.kind === "file",
    isOutputUp: ({ context }) => context.outputUp,
    cardMissing: ({ context }) =>
      context.source?.kind === "file" && !context.cardIn && context.adhan === null,
    nothingKept: ({ context }) => context.phase === "off",
    gapKept: ({ context }) => context.phase === "gap",
    hasNext: ({ context }) => neighbourOf(context, 1) !== null,
    hasPrevious: ({ context }) => neighbourOf(context, -1) !== null,
    hasSaved: ({ context }) => context.saved !== null,
    reachesEnd: ({ context, event }) =>
      event.type === "SEEK" && context.durationMs > 0 && event.position >= context.durationMs,
    savesNow: ({ context }) => context.ticks % 2 === 1,
    failsAtEnd: ({ context }) => failureAtEnd(context) !== null,
    pausesFirst: ({ context }) => gapAfter(context) > 0,
    goesOn: ({ context }) => stepOf(context, context.repeatDone + 1).kind !== "stop",
    goesOnAfterGap: ({ context }) => stepOf(context, context.repeatDone).kind !== "stop",
    canUseChime: ({ context }) => context.adhan !== null && context.source?.kind !== "chime",
    canSkip: ({ context }) => skipTo(context) !== null,
    mayReconnect: ({ context }) => context.source?.kind === "stream" && context.attempts < maxAttempts,
    crashesAgain: ({ context }) => crashesAgain(context),
  },
  actions: {
    // Effects: the actor gives them a body.
    resolveSource: (_, _params: { id: string; request: PlayRequest; volume: number | undefined }) => {},
    loadSource: (_, _params: { token: string; source: Source; startMs: number }) => {},
    pauseOutput: () => {},
    resumeOutput: () => {},
    stopOutput: () => {},
    seekOutput: (_, _params: { ms: number }) => {},
    setOutputVolume: (_, _params: { volume: number }) => {},
    /** `soon`: a person did it; otherwise when it next costs nothing. */
    persist: (_, _params: { soon: boolean }) => {},
    storeMode: (_, _params: { id: string }) => {},
    countPlay: (_, _params: { source: Source }) => {},
    flush: () => {},

    beginRequested: assign(({ context, event }) => {
      if (event.type !== "SOURCE_RESOLVED") return {};
      const field = event.source.kind === "stream" ? "url" : "path";
      return {
        kept: keptBy(context),
        ...beginning(event.source, event.surahs),
        adhan: null,
        failures: 0,
        notice: null,
        direction: 0,
        waiting: { id: event.id, field },
        volume: event.volume ?? context.volume,
        cardIn: context.cardIn || event.source.kind === "file",
      };
    }),
    beginNeighbour: assign(({ context, event }) => {
      if (event.type !== "NEXT" && event.type !== "PREV") return {};
      const direction = event.type === "NEXT" ? 1 : -1;
      return {
        kept: keptBy(context),
        ...moved(context, neighbourOf(context, direction)!),
        held: false,
        failures: 0,
        notice: null,
        direction,
        waiting: { id: event.id, field: undefined },
      };
    }),
    beginSaved: assign(({ context, event }) => {
      if (event.type !== "RESUME_SAVED" || context.saved === null) return {};
      const { source, positionMs, repeatDone } = context.saved;
      return {
        kept: keptBy(context),
        ...beginning(source, context.surahs, positionMs),
        repeatDone,
        adhan: null,
        failures: 0,
        notice: null,
        direction: 0,
        waiting: { id: event.id, field: undefined },
        volume: event.volume ?? context.volume,
      };
    }),
    beginAdhan: assign(({ context, event }) => {
      if (event.type !== "PLAY_ADHAN") return {};
      const { id, path, chime, volume } = event;
      const source: Source =
        path === null ? { kind: "chime", path: chime } : { kind: "file", path, reciter: "", surah: 0 };
      return {
        kept: keptBy(context),
        ...beginning(source, []),
        adhan: { volume: volume === 0 ? context.volume : volume, chime },
        failures: 0,
        notice: null,
        direction: 0,
        waiting: { id, field: undefined },
      };
    }),
    beginChime: assign(({ context }) =>
      context.adhan === null ? {} : beginning({ kind: "chime", path: context.adhan.chime }, []),
    ),
    giveBack: assign(({ context }) => ({
      ...(context.kept ?? { phase: "off" as const }),
      kept: null,
      adhan: null,
      waiting: null,
      starved: false,
    })),
    forgetKept: assign(({ context }) => (context.adhan === null ? { kept: null } : {})),

    noteLoaded: assign(({ event }) =>
      event.type === "TRACK_LOADED" ? { durationMs: event.durationMs } : {},
    ),
    notePlaying: assign(({ context, event }) => {
      const { at, mono } = readingOf(context, event);
      const { notice } = context;
      return { positionAt: at, mono, notice: notice?.kind === "reconnecting" ? null : notice };
    }),
    mark: assign(({ context, event }) => marked(context, event)),
    tick: assign(({ context }) => ({ ticks: context.ticks + 1, attempts: 0, crashes: 0 })),
    hold: assign({ held: true }),
    release: assign({ held: false }),
    noteStarved: assign(({ event }) => (event.type === "STREAM_STARVED" ? { starved: event.active } : {})),
    noteFed: assign({ starved: false }),
    noteTitle: assign(({ event }) => (event.type === "STREAM_TITLED" ? { title: event.title } : {})),
    noteUnderrun: assign(({ context }) => ({ underruns: context.underruns + 1 })),
    noteOutputUp: assign({ outputUp: true }),
    noteOutputDown: assign({ outputUp: false }),
    noteLoss: assign(({ context }) => lost(context)),
    noteCardOut: assign({ cardIn: false }),
    noteCard: assign(({ context, event }) => {
      if (event.type !== "CARD_READ") return {};
      const { kept, adhan } = context;
      if (adhan === null || kept === null) return { cardIn: true, surahs: event.surahs };
      return { cardIn: true, kept: { ...kept, surahs: event.surahs } };
    }),
    noteHeard: assign({ counted: true }),
    noteFailure: assign(({ context, event }) => ({
      failures: context.failures + 1,
      reason: reasonOf(context, event),
    })),
    enter: assign({ phase: "on" }),
    rest: assign({ phase: "off", held: false, kept: null, adhan: null, direction: 0 }),
    enterGap: assign({ phase: "gap" }),
    setGap: assign(({ context }) => ({ gapLeftMs: gapAfter(context) })),
    runGap: assign(({ context, event }) => ({ mono: readingOf(context, event).mono })),
    freezeGap: assign(({ context, event }) => ({
      gapLeftMs: Math.max(0, context.gapLeftMs - (readingOf(context, event).mono - context.mono)),
    })),
    finishTrack: assign(({ context }) => finished(context)),
    step: assign(({ context }) => stepped(context)),
    skip: assign(({ context }) => {
      const to = skipTo(context);
      return to === null ? {} : moved(context, to);
    }),
    reconnect: assign(({ context }) => ({ attempts: context.attempts + 1 })),
    seek: assign(({ context, event }) =>
      event.type === "SEEK"
        ? { positionMs: Math.round(event.position), positionAt: readingOf(context, event).at }
        : {},
    ),
    setMode: assign(({ context, event }) => {
      if (event.type !== "SET_MODE") return {};
      const saved = context.saved && { ...context.saved, repeatDone: 0 };
      const kept = context.kept && { ...context.kept, repeatDone: 0 };
      return { advance: event.advance, repeatDone: 0, saved, kept };
    }),
    setVolume: assign(({ context, event }) => {
      if (event.type !== "SET_VOLUME") return {};
      const { adhan, kept } = context;
      if (adhan !== null) return { adhan: { ...adhan, volume: event.volume } };
      return { volume: event.volume, kept: kept && { ...kept, volume: event.volume } };
    }),
    save: assign(({ context }) => saving(context)),
  },
});

function tell(kind: PlaybackNotice["kind"]) {
  return base.enqueueActions(({ context, enqueue }) => {
    const notice = noticeOf(context, kind);
    enqueue.assign({ notice });
    enqueue.emit({ type: "notice", notice });
  });
}

/** Answers to callers, and what is told besides: these speak of several things at once. */
export const playbackSetup = base.extend({
  actions: {
    load: base.enqueueActions(({ context, enqueue }) => {
      const loads = context.loads + 1;
      const startMs = isLive(context) ? 0 : Math.round(context.positionMs);
      enqueue.assign({ loads, starved: false, positionMs: startMs });
      const params = { token: tokenOf({ ...context, loads }), source: context.source!, startMs };
      enqueue({ type: "loadSource", params });
    }),
    request: base.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "PLAY") return;
      if (context.request !== null) enqueue.emit({ type: "failed", id: context.request, refusal: replaced });
      enqueue.assign({ request: event.id });
      const { id, request, volume } = event;
      enqueue({ type: "resolveSource", params: { id, request, volume } });
    }),
    refuseRequest: base.enqueueActions(({ event, enqueue }) => {
      if (event.type !== "SOURCE_REFUSED") return;
      enqueue.emit({ type: "failed", id: event.id, refusal: event.refusal });
      enqueue.assign({ request: null });
    }),
    /** Whoever still waits for an earlier source is told that it is not coming. */
    replaceWaiting: base.enqueueActions(({ context, event, enqueue }) => {
      if (context.waiting !== null)
        enqueue.emit({ type: "failed", id: context.waiting.id, refusal: replaced });
      if (context.request !== null && !("id" in event && event.id === context.request)) {
        enqueue.emit({ type: "failed", id: context.request, refusal: replaced });
      }
      enqueue.assign({ waiting: null, request: null });
    }),
    settleWaiting: base.enqueueActions(({ context, enqueue }) => {
      if (context.waiting !== null) enqueue.emit({ type: "settled", id: context.waiting.id });
      enqueue({ type: "persist", params: { soon: context.waiting !== null } });
      enqueue.assign({ waiting: null, direction: 0 });
    }),
    failWaiting: base.enqueueActions(({ context, enqueue }) => {
      const { waiting, reason, source } = context;
      if (waiting === null) return;
      const { id, field } = waiting;
      const sentence = `${nameOf(source)} cannot be played: ${reason.message}`;
      const refusal =
        field === undefined
          ? { code: reason.code, message: sentence }
          : { code: reason.code, message: `${field}: ${sentence}`, field };
      enqueue.emit({ type: "failed", id, refusal });
      enqueue.assign({ waiting: null });
    }),
    answerMode: base.enqueueActions(({ event, enqueue }) => {
      if (event.type === "MODE_STORED") enqueue.emit({ type: "settled", id: event.id });
      if (event.type === "MODE_NOT_STORED") {
        enqueue.emit({ type: "failed", id: event.id, refusal: event.refusal });
      }
    }),
    tellSkipped: tell("skipped"),
    tellStopped: tell("stopped"),
    tellChime: tell("adhan_chime"),
    tellReconnecting: tell("reconnecting"),
  },
});

/** Next and previous of the current reciter; during an adhan there is none. */
function neighbourOf(context: PlaybackContext, direction: 1 | -1) {
  const { adhan, advance, source, surahs } = context;
  if (adhan !== null || source?.kind !== "file") return null;
  return neighbour(advance, source.surah, direction, surahs);
}

function gapAfter(context: PlaybackContext): number {
  const step = stepOf(context, context.repeatDone + 1);
  return step.kind === "stop" ? 0 : step.gapMs;
}

/** Why the source that is on cannot be played, in words for a person. */
function reasonOf(context: PlaybackContext, event: { type: string }): PlaybackContext["reason"] {
  const failed = event as Extract<PlaybackEvent, { type: "TRACK_FAILED" }>;
  switch (event.type) {
    case "TRACK_FAILED":
      return { message: failed.reason, code: failed.code ?? "invalid_input" };
    case "TRACK_ENDED":
      return { message: failureAtEnd(context) ?? "it ended", code: "invalid_input" };
    case "CARD_REMOVED":
      return { message: "the card was removed", code: "unavailable" };
    case "OUTPUT_LOST":
      return { message: "the player crashes on it", code: "invalid_input" };
    default:
      return context.outputUp
        ? { message: "it did not start in time", code: "invalid_input" }
        : { message: "the audio output is down", code: "unavailable" };
  }
}
