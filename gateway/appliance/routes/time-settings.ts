import { z } from "zod";
import { parseZone } from "../../../machines/appliance/timezone.ts";
import { DomainError } from "../../../machines/errors.ts";
import { applianceRoute } from "../policy.ts";
import { doneWith, success } from "../schemas.ts";

/** A POSIX rule; the evaluator itself says what is wrong with one. */
const Timezone = z
  .string()
  .max(100)
  .superRefine((rule, context) => {
    try {
      parseZone(rule);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      context.addIssue({ code: "custom", message: error.message.replace(/^timezone /, "") });
    }
  });

export const timeSettingsRoutes = [
  applianceRoute({
    method: "post",
    path: "/settings/timezone",
    summary: "Set the timezone by a POSIX rule",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ timezone: Timezone }),
    reply: success({ timezone: z.string() }),
    handle: ({ actors, body }) =>
      actors.settings.ask({ type: "CHANGE", patch: body }).then(({ timezone }) => doneWith({ timezone })),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/time-format",
    summary: "Show the time on a face of 12 or 24 hours",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ time_format_24h: z.boolean() }),
    reply: success({ time_format_24h: z.boolean() }),
    handle: ({ actors, body }) =>
      actors.settings
        .ask({ type: "CHANGE", patch: body })
        .then(({ time_format_24h }) => doneWith({ time_format_24h })),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/time",
    summary: "Set the clock, and the real-time clock where there is one",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ epoch: z.int().min(0).max(4_102_444_800) }),
    reply: success({ epoch: z.int(), time_source: z.string() }),
    handle: ({ actors, body: { epoch } }) =>
      actors.clock
        .ask({ type: "SET_TIME", epoch })
        .then(({ source }) => doneWith({ epoch, time_source: source })),
  }),
];
