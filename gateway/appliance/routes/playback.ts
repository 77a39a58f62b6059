import { z } from "zod";
import { statusNow } from "../../../actors/appliance/playback.ts";
import type { Advance } from "../../../machines/appliance/hifz.ts";
import { modeOf, type PlaybackView } from "../../../machines/appliance/playback-view.ts";
import { type AppliancePolicy, applianceRoute } from "../policy.ts";
import { CardPath, StreamUrl, SurahNumber, success, Volume } from "../schemas.ts";

const AdvanceMode = z.enum(["off", "continuous", "repeat_one", "hifz_repeat", "hifz_ab"]);
const PauseSeconds = z.int().min(0).max(600);
const Repeat = z.int().min(0).max(10_000);
const Ab = z.strictObject({ from: SurahNumber, to: SurahNumber });

const status = {
  state: z.enum(["playing", "paused", "buffering", "stopped"]),
  mode: z.enum(["file", "stream", "idle"]),
  position: z.int().meta({ description: "Milliseconds, as of position_at" }),
  position_at: z.iso.datetime(),
  duration: z.int().meta({ description: "Milliseconds; 0 for live streams" }),
  volume: Volume,
  underrun_count: z.int(),
  track: z.string(),
  reciter: z.string(),
  surah_number: z.int(),
  advance_mode: AdvanceMode,
  hasResumeState: z.boolean(),
  hifz: z
    .strictObject({
      repeat_done: z.int(),
      repeat_target: z.int(),
      pause_s: PauseSeconds,
      waiting: z.boolean(),
      ab_start: SurahNumber.optional(),
      ab_end: SurahNumber.optional(),
    })
    .optional(),
  stream: z.strictObject({ url: z.string(), name: z.string(), title: z.string() }).optional(),
  notice: z
    .strictObject({
      kind: z.enum(["skipped", "stopped", "reconnecting", "adhan_chime"]),
      track: z.string(),
      reason: z.string(),
    })
    .optional(),
  adhan: z.literal(true).optional(),
};

/** The status as its GET and the state stream show it. */
export const PlaybackStatus = z.strictObject(status).meta({ id: "PlaybackStatus" });
const StatusReply = success(status);
const withStatus = (view: PlaybackView) => ({ success: true as const, ...statusNow(view) });

const PlayBody = z
  .strictObject({ path: CardPath.optional(), url: StreamUrl.optional() })
  .superRefine(({ path, url }, context) => {
    if ((path === undefined) === (url === undefined)) {
      const message = path === undefined ? "is required, or url" : "must not come with a path";
      context.addIssue({ code: "custom", path: [path === undefined ? "path" : "url"], message });
    }
  });

const ModeBody = z
  .strictObject({
    mode: AdvanceMode,
    repeat: Repeat.optional(),
    pause_s: PauseSeconds.optional(),
    ab: Ab.optional(),
  })
  .superRefine(({ mode, repeat, pause_s, ab }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const drill = mode === "hifz_repeat" || mode === "hifz_ab";
    if (!drill && repeat !== undefined) refuse("repeat", "belongs to the hifz modes");
    if (!drill && pause_s !== undefined) refuse("pause_s", "belongs to the hifz modes");
    if (mode !== "hifz_ab" && ab !== undefined) refuse("ab", "belongs to hifz_ab");
    if (mode !== "hifz_ab") return;
    if (repeat === 0) refuse("repeat", "must be at least 1 in hifz_ab");
    if (ab === undefined) refuse("ab", "is required in hifz_ab");
    else if (ab.from > ab.to) refuse("ab", "from must not be greater than to");
  });

function advanceOf({ mode, repeat, pause_s: pauseS = 0, ab }: z.output<typeof ModeBody>): Advance {
  if (mode === "hifz_repeat") return { mode, repeat: repeat ?? 0, pauseS };
  if (mode === "hifz_ab" && ab !== undefined) return { mode, repeat: repeat ?? 1, pauseS, ab };
  return { mode: mode as "off" | "continuous" | "repeat_one" };
}

const requestOf = ({ path, url }: z.output<typeof PlayBody>) =>
  url === undefined ? { path: path ?? "" } : { url };

const watched: AppliancePolicy = { auth: "public", rate: "status" };
const commanded: AppliancePolicy = { auth: "token", rate: "playback", emits: "playback" };

/** A command without a body that answers with the status. */
const plain = (name: "pause" | "resume" | "stop" | "next" | "prev" | "resume-saved", summary: string) =>
  applianceRoute({
    method: "post",
    path: `/playback/${name}`,
    summary,
    tag: "Playback",
    policy: commanded,
    reply: StatusReply,
    handle: ({ actors }) => actors.playback.ask({ type: commands[name] }).then(withStatus),
  });

const commands = {
  pause: "PAUSE",
  resume: "RESUME",
  stop: "STOP",
  next: "NEXT",
  prev: "PREV",
  "resume-saved": "RESUME_SAVED",
} as const;

export const playbackRoutes = [
  applianceRoute({
    method: "get",
    path: "/playback/status",
    summary: "What is playing, and where in it",
    tag: "Playback",
    policy: watched,
    reply: PlaybackStatus,
    handle: ({ actors }) => statusNow(actors.playback.view()),
  }),
  applianceRoute({
    method: "post",
    path: "/playback/play",
    summary: "Play a file of the card or a stream",
    tag: "Playback",
    policy: commanded,
    body: PlayBody,
    reply: StatusReply,
    handle: ({ body, actors }) =>
      actors.playback.ask({ type: "PLAY", request: requestOf(body) }).then(withStatus),
  }),
  plain("pause", "Pause"),
  plain("resume", "Go on after a pause"),
  plain("stop", "Stop; during an adhan, end it and give back what was on"),
  applianceRoute({
    method: "post",
    path: "/playback/seek",
    summary: "Go to a position; beyond the end ends the track",
    tag: "Playback",
    policy: commanded,
    body: z.strictObject({ position: z.number().min(0).max(Number.MAX_SAFE_INTEGER) }),
    reply: StatusReply,
    handle: ({ body, actors }) => actors.playback.ask({ type: "SEEK", ...body }).then(withStatus),
  }),
  applianceRoute({
    method: "post",
    path: "/playback/volume",
    summary: "Set the volume",
    tag: "Playback",
    policy: commanded,
    body: z.strictObject({ volume: Volume }),
    reply: success({ volume: Volume }),
    handle: ({ body, actors }) =>
      actors.playback
        .ask({ type: "SET_VOLUME", ...body })
        .then(({ volume }) => ({ success: true as const, volume })),
  }),
  plain("resume-saved", "Resume from the saved position"),
  plain("next", "The next available surah of the current reciter"),
  plain("prev", "The previous available surah of the current reciter"),
  applianceRoute({
    method: "get",
    path: "/playback/mode",
    summary: "What comes after a track",
    tag: "Playback",
    policy: watched,
    reply: z.strictObject({
      mode: AdvanceMode,
      hifz: z.strictObject({ repeat: Repeat, pause_s: PauseSeconds, ab: Ab.optional() }).optional(),
    }),
    handle: ({ actors }) => modeOf(actors.playback.view()),
  }),
  applianceRoute({
    method: "post",
    path: "/playback/mode",
    summary: "Set what comes after a track",
    tag: "Playback",
    policy: commanded,
    body: ModeBody,
    reply: StatusReply,
    handle: ({ body, actors }) =>
      actors.playback.ask({ type: "SET_MODE", advance: advanceOf(body) }).then(withStatus),
  }),
];
