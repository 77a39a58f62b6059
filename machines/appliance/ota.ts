import { assign, emit, type SnapshotFrom, setup } from "xstate";
import type { Refusal } from "../errors.ts";

/** One firmware update at a time: received, verified, written beside the running one, then booted. */
export interface IncomingImage {
  bytes: AsyncIterable<Uint8Array>;
  /** What the sender announced, if it did. */
  length: number | null;
}

/** The stream is kept out of sight of whoever writes events down. */
export function incomingImage(bytes: AsyncIterable<Uint8Array>, length: number | null): IncomingImage {
  return Object.defineProperty({ length } as IncomingImage, "bytes", { value: bytes, enumerable: false });
}

export type OtaCommand =
  /** Answered when the image stands in its slot. */
  | { type: "UPLOAD"; id: string; image: IncomingImage }
  /** Answered when the address passed its checks; the rest is progress. */
  | { type: "PULL"; id: string; url: string };

export type OtaEvent =
  | OtaCommand
  | { type: "URL_ACCEPTED" }
  | { type: "PROGRESSED"; progress: number }
  | { type: "RECEIVED" }
  | { type: "VERIFIED" }
  | { type: "WRITTEN" }
  | { type: "REBOOTED" }
  | { type: "STEP_FAILED"; refusal: Refusal };

type OtaStatus =
  | "idle"
  | "receiving"
  | "downloading"
  | "verifying"
  | "writing"
  | "ready"
  | "rebooting"
  | "failed";

export interface OtaView {
  in_progress: boolean;
  progress: number;
  mode: "idle" | "pull" | "upload";
  status: OtaStatus;
  error: string;
}

export type OtaReplies = { UPLOAD: OtaView; PULL: OtaView };

export interface OtaInput {
  /** Why the last new version was given up at boot, if it was. */
  rolledBack: string | null;
}

interface OtaContext {
  mode: OtaView["mode"];
  progress: number;
  error: string;
  /** Whom the running update has still to be answered to. */
  asker: string | null;
}

type Emitted =
  | { type: "settled"; id: string; reply: OtaView }
  | { type: "failed"; id: string; refusal: Refusal };

export const otaMachine = setup({
  types: {
    context: {} as OtaContext,
    input: {} as OtaInput,
    events: {} as OtaEvent,
    emitted: {} as Emitted,
  },
  guards: { wasRolledBack: ({ context }) => context.error !== "" },
  delays: {
    /** Long enough for clients to hear that the image is ready. */
    farewell: 2_000,
  },
  actions: {
    receiveImage: (_, _params: { image: IncomingImage }) => {}, // effect
    checkUrl: (_, _params: { url: string }) => {}, // effect
    downloadImage: () => {}, // effect
    verifyImage: () => {}, // effect
    writeImage: () => {}, // effect
    reboot: () => {}, // effect
    begin: assign((_, { id, mode }: { id: string; mode: OtaView["mode"] }) => ({
      mode,
      progress: 0,
      error: "",
      asker: id,
    })),
    showProgress: assign({
      progress: ({ context, event }) =>
        event.type === "PROGRESSED" ? Math.max(context.progress, event.progress) : context.progress,
    }),
    complete: assign({ progress: 100 }),
    keepReason: assign({
      error: ({ event }) => (event.type === "STEP_FAILED" ? event.refusal.message : ""),
      mode: "idle",
    }),
    rest: assign({ mode: "idle", progress: 0, error: "", asker: null }),
    answered: assign({ asker: null }),
    refuseAsker: emit(({ context, event }) => ({
      type: "failed",
      id: context.asker ?? "",
      refusal: event.type === "STEP_FAILED" ? event.refusal : { code: "internal", message: "" },
    })),
    settlePull: emit(({ context }) => settled(context, "downloading")),
    settleUpload: emit(({ context }) => settled(context, "ready")),
  },
}).createMachine({
  id: "ota",
  context: ({ input }) => ({ mode: "idle", progress: 0, error: input.rolledBack ?? "", asker: null }),
  initial: "waking",
  states: {
    waking: { always: [{ guard: "wasRolledBack", target: "resting.failed" }, { target: "resting.idle" }] },
    resting: {
      initial: "idle",
      states: { idle: {}, failed: {} },
      on: {
        UPLOAD: {
          target: "working.receiving",
          actions: [
            { type: "begin", params: ({ event }) => ({ id: event.id, mode: "upload" }) },
            { type: "receiveImage", params: ({ event }) => event },
          ],
        },
        PULL: {
          target: "checking",
          actions: [
            { type: "begin", params: ({ event }) => ({ id: event.id, mode: "pull" }) },
            { type: "checkUrl", params: ({ event }) => event },
          ],
        },
      },
    },
    checking: {
      on: {
        URL_ACCEPTED: { target: "working.downloading", actions: ["settlePull", "answered", "downloadImage"] },
        // A refused address is a bad request, not a failed update.
        STEP_FAILED: { target: "resting.idle", actions: ["refuseAsker", "rest"] },
      },
    },
    working: {
      initial: "receiving",
      on: {
        PROGRESSED: { actions: "showProgress" },
        STEP_FAILED: { target: "resting.failed", actions: ["refuseAsker", "answered", "keepReason"] },
      },
      states: {
        receiving: { on: { RECEIVED: "verifying" } },
        downloading: { on: { RECEIVED: "verifying" } },
        verifying: { entry: "verifyImage", on: { VERIFIED: "writing" } },
        writing: {
          entry: "writeImage",
          on: { WRITTEN: { target: "#ota.ready", actions: ["complete", "settleUpload", "answered"] } },
        },
      },
    },
    ready: { after: { farewell: "rebooting" } },
    rebooting: {
      entry: "reboot",
      on: {
        REBOOTED: { target: "resting.idle", actions: "rest" },
        STEP_FAILED: { target: "resting.failed", actions: "keepReason" },
      },
    },
  },
});

type OtaSnapshot = SnapshotFrom<typeof otaMachine>;

export function viewOfOta(snapshot: OtaSnapshot): OtaView {
  return viewIn(snapshot.context, statusOf(snapshot));
}

export function refusalOfOta(snapshot: OtaSnapshot, _command: OtaCommand): Refusal | null {
  if (snapshot.matches("resting")) return null;
  return { code: "conflict", message: "an update is already running" };
}

function statusOf({ value }: OtaSnapshot): OtaStatus {
  if (typeof value === "object") return ("working" in value ? value.working : value.resting) as OtaStatus;
  return value === "checking" ? "downloading" : value === "waking" ? "idle" : value;
}

function viewIn({ mode, progress, error }: OtaContext, status: OtaStatus): OtaView {
  return { in_progress: status !== "idle" && status !== "failed", progress, mode, status, error };
}

/** Nobody waits for a pull's end: then the answer goes to no one. */
function settled(context: OtaContext, status: OtaStatus): Emitted {
  return { type: "settled", id: context.asker ?? "", reply: viewIn(context, status) };
}
