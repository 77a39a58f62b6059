/** The appliance's whole table, and what its columns mean to a reader. */
import { z } from "zod";
import type { ApiDescription } from "../openapi.ts";
import type { Route } from "../route.ts";
import type { ApplianceActors } from "./actors.ts";
import { type ApplianceCaller, type AppliancePolicy, applianceRoute, rateClasses } from "./policy.ts";
import { debugRoutes } from "./routes/debug.ts";
import { favoriteRoutes } from "./routes/favorites.ts";
import { libraryRoutes } from "./routes/library.ts";
import { otaRoutes } from "./routes/ota.ts";
import { playbackRoutes } from "./routes/playback.ts";
import { batteryRoutes, powerRoutes } from "./routes/power.ts";
import { prayerRoutes } from "./routes/prayer.ts";
import { rfidRoutes } from "./routes/rfid.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { stationRoutes } from "./routes/stations.ts";
import { systemRoutes } from "./routes/system.ts";
import { timeSettingsRoutes } from "./routes/time-settings.ts";

export type ApplianceRoute = Route<ApplianceActors, ApplianceCaller, AppliancePolicy>;

const documentRoute = applianceRoute({
  method: "get",
  path: "/openapi.json",
  summary: "This API as an OpenAPI document",
  tag: "System",
  policy: { auth: "public", rate: "default" },
  reply: z.looseObject({ openapi: z.string() }),
  handle: () => documentOnce(),
});

/** Every row; a section adds its array here. */
export const applianceRoutes: readonly ApplianceRoute[] = [
  ...playbackRoutes,
  ...libraryRoutes,
  ...favoriteRoutes,
  ...stationRoutes,
  ...rfidRoutes,
  ...prayerRoutes,
  ...scheduleRoutes,
  ...settingsRoutes,
  ...timeSettingsRoutes,
  ...systemRoutes,
  ...batteryRoutes,
  ...powerRoutes,
  ...otaRoutes,
  ...debugRoutes,
  documentRoute,
];

export const applianceApi: ApiDescription = {
  title: "Minaret appliance",
  version: "2.0.0",
  base: "/api",
  error: z.strictObject({ error: z.string() }).meta({ id: "Error" }),
  securitySchemes: { token: { type: "http", scheme: "bearer" } },
  describe: ({ policy, params, query, method }: ApplianceRoute) => ({
    security: policy.auth === "token" ? [{ token: [] }] : [],
    errors: {
      ...((query || method !== "get") && {
        400: "Malformed body or invalid value; the error names the field",
      }),
      ...(policy.auth === "token" && { 401: "Missing or wrong bearer token" }),
      ...(params && { 404: "Unknown id" }),
      429: "Rate limit exceeded",
      500: "Device-side failure",
    },
    notes: notesOf(policy),
  }),
};

function notesOf({ rate, emits }: AppliancePolicy): string {
  const { limit, windowMs } = rateClasses[rate];
  const event = emits ? ` Sends the event \`${emits}\`.` : "";
  return `${limit} requests per ${windowMs / 1000} s (class \`${rate}\`).${event}`;
}

let document: Promise<{ openapi: string }> | undefined;

/** Made when it is first asked for: few ever do, and its library costs the start. */
function documentOnce(): Promise<{ openapi: string }> {
  document ??= import("../openapi.ts").then(({ openApiOf }) => openApiOf(applianceApi, applianceRoutes));
  return document;
}
