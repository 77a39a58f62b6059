import { randomUUID } from "node:crypto";
import { z } from "zod";
import { applianceRoute } from "../policy.ts";
import { done, doneWith, Id, IdParams, Success, success, Target, Volume } from "../schemas.ts";

const Times = {
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
  /** Bit 0 is Sunday; 0 means once. */
  days: z.int().min(0).max(127),
  target: Target,
};
const ScheduleShape = {
  id: Id,
  ...Times,
  volume: Volume.nullable(),
  enabled: z.boolean(),
  next_run: z.iso.datetime({ offset: true }).nullable(),
};

/** The list as its GET and the state stream show it. */
export const ScheduleList = z.strictObject({
  schedules: z.array(z.strictObject(ScheduleShape).meta({ id: "Schedule" })).readonly(),
});

export const scheduleRoutes = [
  applianceRoute({
    method: "get",
    path: "/schedules",
    summary: "All schedules",
    tag: "Prayer and schedules",
    policy: { auth: "public", rate: "default" },
    reply: ScheduleList,
    handle: ({ actors }) => ({ schedules: actors.scheduler.view() }),
  }),
  applianceRoute({
    method: "post",
    path: "/schedules",
    summary: "Plan something for a time of day",
    tag: "Prayer and schedules",
    policy: { auth: "token", rate: "default", emits: "schedules" },
    body: z.strictObject({ ...Times, volume: Volume.nullish() }),
    reply: success(ScheduleShape),
    handle: ({ actors, body: { volume, ...times } }) =>
      actors.scheduler
        .ask({
          type: "CREATE",
          schedule: { id: randomUUID(), ...times, volume: volume ?? null, enabled: true },
        })
        .then(doneWith),
  }),
  applianceRoute({
    method: "delete",
    path: "/schedules/:id",
    summary: "Forget a schedule",
    tag: "Prayer and schedules",
    policy: { auth: "token", rate: "default", emits: "schedules" },
    params: IdParams,
    reply: Success,
    handle: ({ actors, params }) => actors.scheduler.ask({ type: "REMOVE", key: params.id }).then(done),
  }),
  applianceRoute({
    method: "post",
    path: "/schedules/:id/enable",
    summary: "Enable or disable a schedule",
    tag: "Prayer and schedules",
    policy: { auth: "token", rate: "default", emits: "schedules" },
    params: IdParams,
    body: z.strictObject({ enabled: z.boolean() }),
    reply: success(ScheduleShape),
    handle: ({ actors, params, body }) =>
      actors.scheduler.ask({ type: "ENABLE", key: params.id, ...body }).then(doneWith),
  }),
];
