/** The battery, sleep, light and the wireless network. */
import { z } from "zod";
import { applianceRoute } from "../policy.ts";
import { done, doneWith, Success, success, text } from "../schemas.ts";

const Ssid = text(32).refine((value) => Buffer.byteLength(value) <= 32, "must be at most 32 bytes");
const Brightness = z.int().min(0).max(255);
const AutoOffMinutes = z.int().min(0).max(240);

export const batteryRoutes = [
  applianceRoute({
    method: "get",
    path: "/battery",
    summary: "The battery, in volts and percent",
    tag: "Settings and system",
    policy: { auth: "public", rate: "status" },
    reply: z
      .strictObject({
        present: z.boolean(),
        voltage: z.number().min(0),
        percentage: z.int().min(0).max(100),
        charging: z.boolean(),
      })
      .meta({ id: "Battery" }),
    handle: ({ actors }) => actors.battery.view(),
  }),
];

export const powerRoutes = [
  applianceRoute({
    method: "post",
    path: "/system/sleep",
    summary: "Deep sleep now",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "system" },
    reply: Success,
    handle: ({ actors }) => actors.power.ask({ type: "SLEEP" }).then(done),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/wifi",
    summary: "Join a wireless network; one not joined within 60 s gives way to the old one",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ ssid: Ssid, password: text(63, 0) }),
    reply: Success,
    handle: ({ body, actors }) => actors.network.ask({ type: "JOIN", ...body }).then(done),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/brightness",
    summary: "Set the screen's brightness",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ brightness: Brightness }),
    reply: success({ brightness: Brightness }),
    handle: ({ body, actors }) =>
      actors.settings.ask({ type: "CHANGE", patch: body }).then(({ brightness }) => doneWith({ brightness })),
  }),
  applianceRoute({
    method: "post",
    path: "/settings/auto-off",
    summary: "Sleep after idle minutes; 0 disables",
    tag: "Settings and system",
    policy: { auth: "token", rate: "default", emits: "settings" },
    body: z.strictObject({ auto_off_minutes: AutoOffMinutes }),
    reply: success({ auto_off_minutes: AutoOffMinutes }),
    handle: ({ body, actors }) =>
      actors.settings
        .ask({ type: "CHANGE", patch: body })
        .then(({ auto_off_minutes }) => doneWith({ auto_off_minutes })),
  }),
];
