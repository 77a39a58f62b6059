/** What helps whoever looks for a fault. */
import { Bytes } from "../../route.ts";
import { applianceRoute } from "../policy.ts";

export const debugRoutes = [
  applianceRoute({
    method: "get",
    path: "/debug/screenshot",
    summary: "The live screen as a 24-bit BMP",
    tag: "Firmware update and debug",
    policy: { auth: "token", rate: "screenshot" },
    reply: Bytes,
    replyKind: "binary",
    replyType: "image/bmp",
    handle: ({ actors }) => actors.display.ask({ type: "SCREENSHOT" }),
  }),
];
