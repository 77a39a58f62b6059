/** One recitation source at a time: what is on, where in it, what comes after it, and what an adhan gives back. */
import { contextFrom } from "./playback-context.ts";
import { playbackSetup } from "./playback-setup.ts";

/** A caller hears of a source that does not start, before its ask runs out of time. */
const startLimitMs = 8_000;
/** A source that nobody waits for gets longer, for a slow network. */
const silentLimitMs = 60_000;
/** How often a position is shown while nothing else changes; every second one is saved. */
const tickMs = 5_000;

const lazily = { type: "persist", params: { soon: false } } as const;
const soon = { type: "persist", params: { soon: true } } as const;
const applyVolume = {
  type: "setOutputVolume",
  params: ({ context }: { context: { adhan: { volume: number } | null; volume: number } }) => ({
    volume: context.adhan?.volume ?? context.volume,
  }),
} as const;
const seekOutput = {
  type: "seekOutput",
  params: ({ event }: { event: { type: string } }) => ({
    ms: (event as { position?: number }).position ?? 0,
  }),
} as const;

export const playbackMachine = playbackSetup.createMachine({
  id: "playback",
  context: ({ input }) => contextFrom(input),
  initial: "open",
  states: {
    open: {
      initial: "booting",
      on: {
        PLAY: { actions: "request" },
        SOURCE_RESOLVED: {
          guard: "isRequest",
          target: ".starting",
          actions: ["replaceWaiting", "beginRequested"],
        },
        SOURCE_REFUSED: { guard: "isRequest", actions: "refuseRequest" },
        NEXT: { guard: "hasNext", target: ".starting", actions: ["replaceWaiting", "beginNeighbour"] },
        PREV: { guard: "hasPrevious", target: ".starting", actions: ["replaceWaiting", "beginNeighbour"] },
        RESUME_SAVED: { guard: "hasSaved", target: ".starting", actions: ["replaceWaiting", "beginSaved"] },
        STOP: [
          { guard: "isAdhan", target: ".returning", actions: "replaceWaiting" },
          { target: ".stopped", actions: ["save", "replaceWaiting"] },
        ],
        SET_VOLUME: [
          { guard: "isAdhan", actions: ["setVolume", applyVolume] },
          { actions: ["setVolume", applyVolume, soon] },
        ],
        SET_MODE: {
          actions: ["setMode", { type: "storeMode", params: ({ event }) => ({ id: event.id }) }],
        },
        MODE_STORED: { actions: "answerMode" },
        MODE_NOT_STORED: { actions: "answerMode" },
        PLAY_ADHAN: {
          guard: "isNoAdhan",
          target: ".starting",
          actions: ["save", soon, "replaceWaiting", "beginAdhan"],
        },
        END_ADHAN: { guard: "isAdhan", target: ".returning", actions: "replaceWaiting" },
        OUTPUT_LOST: { actions: "noteOutputDown" },
        OUTPUT_FOUND: { actions: "noteOutputUp" },
        OUTPUT_UNDERRAN: { actions: "noteUnderrun" },
        CARD_REMOVED: { actions: "noteCardOut" },
        CARD_READ: { actions: "noteCard" },
        SHUTDOWN: { target: "closing", actions: "save" },
      },
      states: {
        booting: { always: [{ guard: "resumesAtBoot", target: "starting" }, { target: "stopped" }] },
        stopped: { entry: ["rest", "stopOutput", soon] },
        starting: {
          entry: "enter",
          always: [
            { guard: "cardMissing", target: "cardless" },
            { target: "on", actions: "load" },
          ],
        },
        on: {
          initial: "loading",
          on: {
            TRACK_ENDED: { guard: "isMine", target: "ending" },
            TRACK_FAILED: { guard: "isMine", target: "failing", actions: "noteFailure" },
            STREAM_TITLED: { guard: "isMine", actions: "noteTitle" },
            // Only said: what was read ahead may last until the stream is back.
            STREAM_DROPPED: { guard: "isMine", actions: "tellReconnecting" },
            OUTPUT_LOST: [
              { guard: "crashesAgain", target: "failing", actions: ["noteOutputDown", "noteFailure"] },
              { target: ".loading", actions: ["noteOutputDown", "noteLoss"] },
            ],
            CARD_REMOVED: [
              { guard: "isAdhanOnCard", target: "returning", actions: ["noteCardOut", "replaceWaiting"] },
              { guard: "isWaitedForFile", target: "failing", actions: ["noteCardOut", "noteFailure"] },
              { guard: "isFileOn", target: "cardless", actions: ["noteCardOut", "save", soon] },
              { actions: "noteCardOut" },
            ],
          },
          states: {
            loading: {
              on: {
                TRACK_LOADED: [
                  {
                    guard: "isLoadedHeld",
                    target: "paused",
                    actions: ["noteLoaded", "forgetKept", "settleWaiting"],
                  },
                  {
                    guard: "isMine",
                    target: "playing",
                    actions: ["noteLoaded", "forgetKept", "settleWaiting"],
                  },
                ],
                OUTPUT_FOUND: { actions: ["noteOutputUp", "load"] },
                PAUSE: { actions: ["hold", "pauseOutput"] },
                RESUME: { actions: ["release", "resumeOutput"] },
                SEEK: { actions: ["seek", "load"] },
              },
              after: {
                [startLimitMs]: {
                  guard: "isWaitedFor",
                  target: "#playback.open.failing",
                  actions: "noteFailure",
                },
                [silentLimitMs]: {
                  guard: "isOutputUp",
                  target: "#playback.open.failing",
                  actions: "noteFailure",
                },
              },
            },
            playing: {
              entry: "notePlaying",
              exit: "mark",
              on: {
                PAUSE: { target: "paused", actions: ["hold", "pauseOutput", "save", soon] },
                STREAM_STARVED: { guard: "isStarvedMine", target: "buffering", actions: "noteStarved" },
                SEEK: [
                  { guard: "reachesEnd", target: "#playback.open.ending" },
                  { target: "playing", reenter: true, actions: ["seek", seekOutput] },
                ],
              },
              after: {
                untilCounted: {
                  actions: [
                    "noteHeard",
                    { type: "countPlay", params: ({ context }) => ({ source: context.source! }) },
                  ],
                },
                [tickMs]: [
                  { guard: "savesNow", target: "playing", reenter: true, actions: ["tick", "save", lazily] },
                  { target: "playing", reenter: true, actions: "tick" },
                ],
              },
            },
            buffering: {
              on: {
                PAUSE: { target: "paused", actions: ["hold", "pauseOutput", "save", soon] },
                STREAM_STARVED: { guard: "isFedMine", target: "playing", actions: "noteStarved" },
                TRACK_LOADED: { guard: "isMine", target: "playing", actions: ["noteLoaded", "noteFed"] },
                SEEK: [
                  { guard: "reachesEnd", target: "#playback.open.ending" },
                  { actions: ["seek", seekOutput] },
                ],
              },
            },
            paused: {
              on: {
                RESUME: [
                  { guard: "isStarved", target: "buffering", actions: ["release", "resumeOutput"] },
                  { target: "playing", actions: ["release", "resumeOutput"] },
                ],
                STREAM_STARVED: { guard: "isMine", actions: "noteStarved" },
                SEEK: [
                  { guard: "reachesEnd", target: "#playback.open.ending" },
                  { actions: ["seek", seekOutput, "save", soon] },
                ],
              },
            },
          },
        },
        /** The card is out: what was on waits for it. */
        cardless: {
          entry: "stopOutput",
          on: {
            CARD_READ: { target: "starting", actions: "noteCard" },
            PAUSE: { actions: "hold" },
            RESUME: { actions: "release" },
          },
        },
        /** A stream was lost and could not be had back at once. */
        reconnecting: {
          entry: ["reconnect", "tellReconnecting"],
          on: { PAUSE: { actions: "hold" }, RESUME: { actions: "release" } },
          after: { backoff: "starting" },
        },
        gap: {
          entry: "enterGap",
          initial: "entering",
          states: {
            entering: { always: [{ guard: "isHeld", target: "frozen" }, { target: "running" }] },
            running: {
              entry: "runGap",
              exit: "freezeGap",
              on: { PAUSE: { target: "frozen", actions: ["hold", "save", soon] } },
              after: {
                gapLeft: [
                  { guard: "goesOnAfterGap", target: "#playback.open.starting", actions: "step" },
                  { target: "#playback.open.stopped" },
                ],
              },
            },
            frozen: { on: { RESUME: { target: "running", actions: "release" } } },
          },
        },
        /** A track has ended by itself. */
        ending: {
          always: [
            { guard: "isAdhan", target: "returning" },
            { guard: "failsAtEnd", target: "failing", actions: "noteFailure" },
            { guard: "pausesFirst", target: "gap", actions: ["setGap", "finishTrack", "stopOutput", lazily] },
            { guard: "goesOn", target: "starting", actions: ["finishTrack", "step"] },
            { target: "stopped", actions: "finishTrack" },
          ],
        },
        /** The source cannot be played: another way, the next one, or what was on before. */
        failing: {
          always: [
            {
              guard: "canUseChime",
              target: "starting",
              actions: ["tellChime", "beginChime"],
            },
            {
              guard: "canSkip",
              target: "starting",
              actions: ["tellSkipped", "skip"],
            },
            { guard: "isAdhan", target: "returning", actions: "failWaiting" },
            { guard: "isWaitedFor", target: "returning", actions: "failWaiting" },
            { guard: "mayReconnect", target: "reconnecting" },
            { target: "stopped", actions: "tellStopped" },
          ],
        },
        /** What was set aside comes back as it was. */
        returning: {
          entry: ["giveBack", "stopOutput"],
          always: [
            { guard: "nothingKept", target: "stopped" },
            { guard: "gapKept", target: "gap" },
            { target: "starting" },
          ],
        },
      },
    },
    /** The last save; then the child ends. */
    closing: { entry: "flush", on: { STATE_FLUSHED: "closed" } },
    closed: { type: "final" },
  },
});
