import { z } from "zod";
import { epochOf } from "../../../machines/appliance/clock.ts";
import { type PrayerReport, prayerReport } from "../../../machines/appliance/prayer-view.ts";
import type { ApplianceActors } from "../actors.ts";
import { applianceRoute } from "../policy.ts";
import { CardPath, done, Success, success, Volume } from "../schemas.ts";

const Adhan = {
  enabled: z.boolean(),
  prayer_mask: z.int().min(0).max(63),
  volume: Volume,
  /** Empty for the built-in chime. */
  path: z.union([z.literal(""), CardPath]),
};
const Minutes = z.int().min(-720).max(720);
const Config = {
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
  method: z.int().min(0).max(4),
  asr_hanafi: z.boolean(),
  offsets_min: z.array(Minutes).length(6).readonly(),
};

const ConfigReply = z
  .strictObject({
    ...Config,
    lat: Config.lat.nullable(),
    lng: Config.lng.nullable(),
    adhan: z.strictObject(Adhan),
  })
  .meta({ id: "PrayerConfig" });

const names = ["fajr", "sunrise", "dhuhr", "asr", "maghrib", "isha"] as const;
const LocalTime = z.string().regex(/^\d\d:\d\d$/);

const PrayerReply = z
  .strictObject({
    date: z.iso.date().nullable(),
    hijri: z
      .strictObject({
        year: z.int(),
        month: z.int(),
        day: z.int(),
        month_name: z.string(),
        month_name_ar: z.string(),
      })
      .nullable(),
    times: z.record(z.enum(names), LocalTime).nullable(),
    next: z.strictObject({ name: z.enum(names), time: LocalTime, in_seconds: z.int() }).nullable(),
    config: ConfigReply,
    method_name: z.string(),
    qibla: z.number().nullable(),
    configured: z.boolean(),
    estimated: z.boolean(),
    sounding: z.enum([...names, "test"]).nullable(),
    reason: z.enum(["no_location", "no_clock", "adhan_disabled", "no_prayer_chosen"]).nullable(),
  })
  .meta({ id: "Prayer" });

/** The prayers of this moment, as the GET and the state stream show them. */
export function prayerOf({ prayer, clock }: Pick<ApplianceActors, "prayer" | "clock">): PrayerReport {
  return prayerReport(prayer.view(), epochOf(clock.view(), Date.now()));
}

export const prayerRoutes = [
  applianceRoute({
    method: "get",
    path: "/prayer",
    summary: "Today's times, the next prayer, the Hijri date and the configuration",
    tag: "Prayer and schedules",
    policy: { auth: "public", rate: "status" },
    reply: PrayerReply,
    handle: ({ actors }) => prayerOf(actors),
  }),
  applianceRoute({
    method: "post",
    path: "/prayer/config",
    summary: "Set location, method, offsets and adhan; fields left out keep their value",
    tag: "Prayer and schedules",
    policy: { auth: "token", rate: "default", emits: "prayer" },
    body: z.strictObject({ ...Config, adhan: z.strictObject(Adhan).partial() }).partial(),
    reply: success({ config: ConfigReply }),
    handle: async ({ actors, body }) => ({
      success: true as const,
      config: await actors.prayer.ask({ type: "CONFIGURE", patch: body }),
    }),
  }),
  applianceRoute({
    method: "post",
    path: "/prayer/test-adhan",
    summary: "Play the configured adhan now",
    tag: "Prayer and schedules",
    policy: { auth: "token", rate: "default", emits: "prayer" },
    reply: Success,
    handle: ({ actors }) => actors.prayer.ask({ type: "TEST_ADHAN" }).then(done),
  }),
];
