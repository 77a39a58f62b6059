import { z } from "zod";
import { parseZone } from "../../../machines/appliance/timezone.ts";
import { isoAt } from "../../../machines/appliance/timezone-civil.ts";
import type { ApplianceActors } from "../actors.ts";
import { applianceRoute } from "../policy.ts";
import { doneWith, success } from "../schemas.ts";

const CardRemoval = z.enum(["continue", "pause", "stop"]);

export const SettingsReply = z
  .strictObject({
    time: z.iso.datetime({ offset: true }),
    time_synced: z.boolean(),
    time_source: z.enum(["none", "rtc", "sntp", "manual"]),
    time_format_24h: z.boolean(),
    rtc_temperature: z.number().optional(),
    timezone: z.string(),
    brightness: z.int(),
    auto_resume: z.boolean(),
    auto_off_minutes: z.int(),
    auto_off_remaining: z.number().nullable().optional(),
    card_removal: CardRemoval,
    ssid: z.string(),
    wifi: z
      .strictObject({ state: z.string(), joining: z.string().nullable(), error: z.string() })
      .optional()
      .meta({ description: "the network under way, and why the last attempt came to nothing" }),
    language: z.enum(["en", "ar"]),
  })
  .meta({ id: "Settings" });

/** Every setting, with the time as this moment's; the network's password is never among them. */
export function settingsOf({
  settings,
  clock,
  power,
  network,
}: ApplianceActors): z.input<typeof SettingsReply> {
  const { timezone, ...values } = settings.view();
  const { synced, source, rtc_temperature, offset_ms } = clock.view();
  const now = Math.floor((Date.now() + offset_ms) / 1000);
  return {
    time: isoAt(parseZone(timezone), now),
    time_synced: synced,
    time_source: source,
    ...(rtc_temperature !== null && { rtc_temperature }),
    timezone,
    ...values,
    ...remaining(power),
    ...wifi(network),
  };
}

/** A device whose power part is missing has settings all the same. */
function remaining({ view }: ApplianceActors["power"]): { auto_off_remaining?: number | null } {
  try {
    return { auto_off_remaining: view().remaining_minutes };
  } catch {
    return {};
  }
}

function wifi({ view }: ApplianceActors["network"]): Pick<z.input<typeof SettingsReply>, "wifi"> {
  try {
    const { state, joining, error } = view();
    return { wifi: { state, joining, error } };
  } catch {
    return {};
  }
}

export const settingsRoutes = [
  applianceRoute({
    method: "get",
    path: "/settings",
    summary: "All settings; the network's password is never shown",
    tag: "Settings and system",
    policy: { auth: "public", rate: "default" },
    reply: SettingsReply,
    handle: ({ actors }) => settingsOf(actors),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/auto-resume",
    summary: "Go on by itself after a restart",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ enabled: z.boolean() }),
    reply: success({ enabled: z.boolean() }),
    handle: ({ actors, body: { enabled } }) =>
      actors.settings
        .ask({ type: "CHANGE", patch: { auto_resume: enabled } })
        .then(({ auto_resume }) => doneWith({ enabled: auto_resume })),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/card-removal",
    summary: "What happens when an NFC card is taken away",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ policy: CardRemoval }),
    reply: success({ policy: CardRemoval }),
    handle: ({ actors, body: { policy } }) =>
      actors.settings
        .ask({ type: "CHANGE", patch: { card_removal: policy } })
        .then(({ card_removal }) => doneWith({ policy: card_removal })),
  }),
];
