/** Every row of the table on the whole appliance: a valid call, its reply, and the event that follows. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { rateClasses } from "../../../gateway/appliance/policy.ts";
import { applianceRoutes } from "../../../gateway/appliance/table.ts";
import { archiveOf, imageOf, keys, release } from "../../drivers/ota/images.ts";
import type { Heard, Listening } from "../listener.ts";
import { startAppliance } from "./appliance.ts";
import { startWhole, type WholeAppliance } from "./whole.ts";

const keyFile = join(tmpdir(), `minaret-whole-${process.pid}.pub`);
const reciter = "Demo tones (low)";
const surah = { type: "surah", reciter, surah: 112 };
const stream = { type: "stream", url: "http://127.0.0.1:9/live", name: "A radio" };
const image = imageOf(await archiveOf(release("9.0.0")), "9.0.0");
/** What an earlier call made, by the path it was made at. */
const made = new Map<string, string>();

interface Step {
  row: string;
  /** Where it differs from the row's path. */
  path?: () => string;
  body?: unknown;
  /** What the update must have come to before the next step. */
  until?: string;
}

/** In this order, since one call leans on another. */
const steps: Step[] = [
  { row: "get /playback/status" },
  { row: "post /playback/play", body: { path: `${reciter}/036.wav` } },
  { row: "post /playback/pause" },
  { row: "post /playback/resume" },
  { row: "post /playback/seek", body: { position: 1_500 } },
  { row: "post /playback/volume", body: { volume: 40 } },
  { row: "post /playback/next" },
  { row: "post /playback/prev" },
  { row: "post /playback/mode", body: { mode: "hifz_ab", repeat: 2, pause_s: 3, ab: { from: 1, to: 60 } } },
  { row: "get /playback/mode" },
  { row: "post /playback/stop" },
  { row: "post /playback/resume-saved" },
  { row: "get /library/reciters" },
  { row: "get /library/surahs", path: () => `/library/surahs?reciter=${encodeURIComponent(reciter)}` },
  { row: "post /favorites", body: surah },
  { row: "post /favorites/toggle", body: stream },
  { row: "get /favorites" },
  { row: "delete /favorites/:id" },
  { row: "post /radio/stations", body: { name: "A radio", url: stream.url } },
  { row: "get /radio/stations" },
  { row: "delete /radio/stations/:id" },
  { row: "post /rfid/cards", body: { uid: "04:a1:b2:c3", name: "A card", binding: surah } },
  { row: "get /rfid/cards" },
  { row: "post /rfid/virtual/tap", body: { uid: "04-a1-b2-c3" } },
  { row: "get /rfid/scan" },
  { row: "post /rfid/virtual/remove" },
  { row: "delete /rfid/cards/:uid", path: () => "/rfid/cards/04a1b2c3" },
  { row: "post /prayer/config", body: { lat: 21.4225, lng: 39.8262, method: 3, adhan: { volume: 20 } } },
  { row: "get /prayer" },
  { row: "post /prayer/test-adhan" },
  { row: "post /schedules", body: { hour: 4, minute: 30, days: 127, target: surah, volume: 30 } },
  { row: "get /schedules" },
  { row: "post /schedules/:id/enable", body: { enabled: false } },
  { row: "delete /schedules/:id" },
  { row: "post /settings/wifi", body: { ssid: "A network", password: "long enough" } },
  { row: "post /settings/brightness", body: { brightness: 120 } },
  { row: "post /settings/timezone", body: { timezone: "EET-2EEST,M4.5.5/0,M10.5.4/24" } },
  { row: "post /settings/time-format", body: { time_format_24h: true } },
  { row: "post /settings/time", body: { epoch: 1_800_000_000 } },
  { row: "post /settings/auto-resume", body: { enabled: true } },
  { row: "post /settings/auto-off", body: { auto_off_minutes: 30 } },
  { row: "post /settings/card-removal", body: { policy: "continue" } },
  { row: "get /settings" },
  { row: "get /system" },
  { row: "get /battery" },
  { row: "get /ota/status" },
  { row: "post /ota/pull", body: { url: "https://127.0.0.1:9/image" }, until: "failed" },
  { row: "post /ota/upload", body: image, until: "idle" },
  { row: "get /debug/screenshot" },
  { row: "get /openapi.json" },
  { row: "post /system/sleep" },
  { row: "post /reset" },
];

/** Where a resource is shown by a GET; an event carries the same. */
const shownAt: Record<string, string> = {
  playback: "/playback/status",
  library: "/library/reciters",
  favorites: "/favorites",
  stations: "/radio/stations",
  prayer: "/prayer",
  schedules: "/schedules",
  settings: "/settings",
  system: "/system",
  ota: "/ota/status",
  battery: "/battery",
};
const rowOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const routeAt = (row: string) => applianceRoutes.find((route) => rowOf(route) === row)!;
const schemas: Record<string, z.ZodType> = {
  ...Object.fromEntries(
    Object.entries(shownAt).map(([name, path]) => [name, routeAt(`get ${path}`).reply as z.ZodType]),
  ),
  cards: z.strictObject({ count: z.int() }),
  nfc: z.strictObject({
    uid: z.string(),
    uid_len: z.int(),
    registered: z.boolean(),
    name: z.string().nullable(),
  }),
};

let appliance: WholeAppliance;
let listeners: Listening[];
beforeAll(async () => {
  writeFileSync(keyFile, keys.publicKey.export({ type: "spki", format: "pem" }));
  appliance = await startWhole({ APPLIANCE_OTA_KEY: keyFile, APPLIANCE_OTA_PRIVATE: "on" });
  listeners = [await appliance.listen("/ws"), await appliance.listen("/api/ws")];
});
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  await appliance.stop();
});

test("every child runs, and the greeting is the whole public state as the GETs show it", async () => {
  expect(appliance.tree.failures()).toEqual([]);
  for (const listener of listeners) {
    const { data } = await listener.hello();
    expect(Object.keys(data).sort()).toEqual(Object.keys(schemas).sort());
    for (const [name, schema] of Object.entries(schemas)) schema.parse(data[name]);
  }
});

test("the steps below walk every row of the table", () => {
  expect(steps.map(({ row }) => row).sort()).toEqual(applianceRoutes.map(rowOf).sort());
});

const causeOf = (row: string) => `step-${steps.findIndex((step) => step.row === row)}`;

describe("a valid call", () => {
  test.each(steps)("$row", async ({ row, path, body, until }) => {
    const route = routeAt(row);
    const list = route.path.split("/:")[0]!;
    const address = path?.() ?? route.path.replace(":id", made.get(list) ?? "");
    const reply = await appliance.call(route.method.toUpperCase(), address, body, {
      "x-request-id": causeOf(row),
    });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    if (route.replyKind === "binary") expect(reply.headers.get("content-type")).toBe(route.replyType);
    else route.reply.parse(reply.body);
    if (route.method === "post" && typeof reply.body.id === "string") made.set(list, reply.body.id);
    if (route.method !== "get") expect(route.policy.emits, "every mutation has its event").toBeDefined();
    const { emits } = route.policy;
    if (emits === undefined) return;
    for (const listener of listeners) {
      const { event, data, seq } = await listener.until(({ cause }) => cause === causeOf(row));
      expect(event).toBe(emits);
      schemas[emits]!.parse(data);
      if (until) await listener.until((later) => later.seq > seq && later.data.status === until);
    }
  });

  test("had one event for each client with its cause, at all of them in the same order", () => {
    const [first = [], second] = listeners.map(({ heard }) => heard.filter(({ cause }) => cause));
    const mutations = steps.filter(({ row }) => routeAt(row).policy.emits);
    expect(first.map(({ cause }) => cause)).toEqual(mutations.map(({ row }) => causeOf(row)));
    expect(second).toEqual(first);
  });

  test("and whatever else was told is a resource as its GET shows it, and rises in number", () => {
    for (const { heard } of listeners) {
      const told = heard.filter(({ event }) => event !== "hello");
      for (const { event, data } of told) schemas[event]!.parse(data);
      const numbers = heard.map(({ seq }: Heard) => seq);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  });

  test("a reset asks for the branch to be built again", async () => {
    await expect.poll(() => appliance.rebuilds()).toBe(1);
  });
});

describe("with the limits on", () => {
  test("each row has the budget of its class, and the limit is looked at before the token", async () => {
    let now = 0;
    const limited = await startAppliance({ limits: true, now: () => now, checkReplies: false });
    try {
      for (const route of applianceRoutes) {
        const { limit, windowMs } = rateClasses[route.policy.rate];
        now += 60_000;
        const ask = () =>
          fetch(`${limited.url}/api${route.path.replace(/:\w+/, "x")}`, {
            method: route.method.toUpperCase(),
          });
        const within = await Promise.all(Array.from({ length: limit }, ask));
        for (const reply of within) await reply.arrayBuffer();
        expect(within.filter(({ status }) => status === 429)).toEqual([]);
        if (route.policy.auth === "token")
          expect(new Set(within.map(({ status }) => status))).toEqual(new Set([401]));
        const beyond = await ask();
        expect({ row: rowOf(route), status: beyond.status }).toEqual({ row: rowOf(route), status: 429 });
        expect(beyond.headers.get("retry-after")).toBe(String(windowMs / 1_000));
        expect(await beyond.json()).toEqual({ error: expect.any(String) });
      }
    } finally {
      await limited.stop();
    }
  }, 60_000);
});
