/** The device as a whole: what runs, and the way back to the factory. */
import { freemem } from "node:os";
import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import type { ApplianceActors } from "../actors.ts";
import { applianceRoute } from "../policy.ts";
import { done, Success } from "../schemas.ts";

const SystemReply = z
  .strictObject({
    version: z.string(),
    uptime: z.int().min(0).meta({ description: "seconds" }),
    free_heap: z.int().min(0).meta({ description: "bytes" }),
    nvs: z.strictObject({ used: z.int(), free: z.int(), total: z.int() }),
    boot_failures: z.array(z.strictObject({ component: z.string(), error: z.string() })).readonly(),
  })
  .meta({ id: "System" });

export function systemOf({ system }: Pick<ApplianceActors, "system">): z.input<typeof SystemReply> {
  return {
    version: manifest.version,
    uptime: Math.floor(process.uptime()),
    free_heap: freemem(),
    ...system.view(),
  };
}

export const systemRoutes = [
  applianceRoute({
    method: "get",
    path: "/system",
    summary: "Version, uptime, memory, and what does not run",
    tag: "Settings and system",
    policy: { auth: "public", rate: "status" },
    reply: SystemReply,
    handle: ({ actors }) => systemOf(actors),
  }),
  applianceRoute({
    method: "post",
    path: "/reset",
    summary: "Factory reset: everything but the card is cleared, and a new token is printed on the console",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "system" },
    reply: Success,
    handle: ({ actors }) => actors.system.ask({ type: "RESET" }).then(done),
  }),
];
