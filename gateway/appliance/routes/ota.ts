import { z } from "zod";
import { incomingImage } from "../../../machines/appliance/ota.ts";
import { Upload } from "../../route.ts";
import { applianceRoute } from "../policy.ts";
import { doneWith, HttpsUrl, success } from "../schemas.ts";

const status = {
  in_progress: z.boolean(),
  progress: z.int().min(0).max(100),
  mode: z.enum(["idle", "pull", "upload"]),
  status: z.enum([
    "idle",
    "receiving",
    "downloading",
    "verifying",
    "writing",
    "ready",
    "rebooting",
    "failed",
  ]),
  /** Why the last update came to nothing; empty otherwise. */
  error: z.string(),
};

/** A slow card takes its time; the sender's own silence is bounded where the body is read. */
const uploadMs = 30 * 60_000;

export const otaRoutes = [
  applianceRoute({
    method: "get",
    path: "/ota/status",
    summary: "How far an update is",
    tag: "Firmware update",
    policy: { auth: "public", rate: "status" },
    reply: z.strictObject(status).meta({ id: "OtaStatus" }),
    handle: ({ actors }) => actors.ota.view(),
  }),
  applianceRoute({
    method: "post",
    path: "/ota/upload",
    summary: "Install the firmware image in the body; answered when it stands in its slot",
    tag: "Firmware update",
    policy: { auth: "token", rate: "ota_upload", emits: "ota" },
    bodyKind: "stream",
    body: Upload,
    maxBytes: 256 * 1024 * 1024,
    reply: success(status),
    handle: ({ body, actors }) =>
      actors.ota
        .ask(
          { type: "UPLOAD", image: incomingImage(body.stream, body.length ?? null) },
          { timeoutMs: uploadMs },
        )
        .then(doneWith),
  }),
  applianceRoute({
    method: "post",
    path: "/ota/pull",
    summary: "Fetch a firmware image and install it; answered when its address passed the checks",
    tag: "Firmware update",
    policy: { auth: "token", rate: "ota_pull", emits: "ota" },
    body: z.strictObject({ url: HttpsUrl }),
    reply: success(status),
    handle: ({ body, actors }) => actors.ota.ask({ type: "PULL", url: body.url }).then(doneWith),
  }),
];
