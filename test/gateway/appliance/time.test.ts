import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startClock } from "../../../actors/appliance/clock.ts";
import { startPrayer } from "../../../actors/appliance/prayer.ts";
import { startScheduler } from "../../../actors/appliance/scheduler.ts";
import { startSettings } from "../../../actors/appliance/settings.ts";
import { MemoryClock } from "../../../drivers/clock/memory.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { standIn } from "../../actors/appliance/stand-in-child.ts";
import { Listening } from "../listener.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";

const makkah = { lat: 21.4225, lng: 39.8262 };
const card = mkdtempSync(join(tmpdir(), "minaret-card-"));
let appliance: TestAppliance;

const children = (store: Store) => {
  const clock = new MemoryClock();
  const permanent = { restart: "permanent" } as const;
  const checkUrl = async (url: string) => url;
  return [
    { id: "settings", start: startSettings(store), ...permanent },
    { id: "clock", start: startClock(clock), ...permanent },
    standIn("playback", { state: "stopped" }).spec,
    {
      id: "prayer",
      start: startPrayer({ store, clock, card, chime: join(card, "chime.wav") }),
      ...permanent,
    },
    { id: "scheduler", start: startScheduler({ store, clock, card, checkUrl }), ...permanent },
  ];
};
beforeAll(async () => {
  appliance = await startAppliance({ children });
});
afterAll(async () => {
  await appliance.stop();
  rmSync(card, { recursive: true });
});

const call = async (method: string, path: string, body?: unknown, id?: string) => {
  const reply = await fetch(`${appliance.url}/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${appliance.token.value}`,
      ...(id && { "x-request-id": id }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: replies of many shapes, each checked where it is used
  return { status: reply.status, body: (await reply.json()) as any };
};

describe("prayer", () => {
  test("without a location it says so, with date and Hijri date", async () => {
    const { status, body } = await call("GET", "/prayer");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      configured: false,
      times: null,
      next: null,
      qibla: null,
      reason: "no_location",
    });
    expect(body.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(body.hijri.month_name_ar).toBeTruthy();
    expect(body.config).toMatchObject({ lat: null, method: 0, adhan: { enabled: false, prayer_mask: 61 } });
  });

  test("a configuration is merged, stored and echoed; the times follow", async () => {
    const first = await call("POST", "/prayer/config", { ...makkah, method: 3, adhan: { volume: 40 } });
    expect(first).toMatchObject({ status: 200, body: { success: true, config: { ...makkah, method: 3 } } });
    await call("POST", "/prayer/config", { asr_hanafi: true, adhan: { path: "adhan.mp3" } });
    expect(await appliance.store.get("settings", "prayer")).toMatchObject({
      ...makkah,
      asr_hanafi: true,
      adhan: { enabled: false, volume: 40, path: "adhan.mp3" },
    });
    const { body } = await call("GET", "/prayer");
    expect(body).toMatchObject({ configured: true, estimated: false, method_name: "Umm al-Qura" });
    expect(Object.keys(body.times)).toEqual(["fajr", "sunrise", "dhuhr", "asr", "maghrib", "isha"]);
    expect(body.next.in_seconds).toBeGreaterThanOrEqual(0);
    expect(body.next.time).toMatch(/^\d\d:\d\d$/);
  });

  test.each([
    ["lat", { lat: 91, lng: 0 }],
    ["lng", { lat: 0, lng: -181 }],
    ["lat", { lat: "21", lng: 0 }],
    ["method", { method: 5 }],
    ["method", { method: 1.5 }],
    ["asr_hanafi", { asr_hanafi: 1 }],
    ["offsets_min", { offsets_min: [1, 2, 3] }],
    ["offsets_min", { offsets_min: [0, 0, 0, 0, 0, 0.5] }],
    ["adhan.prayer_mask", { adhan: { prayer_mask: 64 } }],
    ["adhan.volume", { adhan: { volume: 101 } }],
    ["adhan.path", { adhan: { path: "../secret.mp3" } }],
    ["adhan.path", { adhan: { path: "a\u0000b" } }],
    ["adhan.colour", { adhan: { colour: "red" } }],
  ])("a bad %s is a 400 that names it, and nothing changes", async (field, body) => {
    const before = await call("GET", "/prayer");
    const reply = await call("POST", "/prayer/config", body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain(field);
    expect((await call("GET", "/prayer")).body.config).toEqual(before.body.config);
  });
});

test("an adhan through a link that leaves the card is a 400 that names it", async () => {
  symlinkSync(import.meta.filename, join(card, "way-out.mp3"));
  const reply = await call("POST", "/prayer/config", { adhan: { path: "way-out.mp3" } });
  expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("adhan.path") } });
});

describe("schedules", () => {
  const planned = { hour: 7, minute: 30, days: 62, target: { type: "resume" } };

  test("one is made, listed, disabled, enabled and forgotten", async () => {
    const made = await call("POST", "/schedules", { ...planned, volume: 20 });
    expect(made).toMatchObject({
      status: 200,
      body: { success: true, ...planned, volume: 20, enabled: true },
    });
    const { id, next_run } = made.body;
    expect(next_run).toMatch(/T07:30:00\+00:00$/);
    const { success: _, ...listed } = made.body;
    expect((await call("GET", "/schedules")).body).toEqual({ schedules: [listed] });
    const off = await call("POST", `/schedules/${id}/enable`, { enabled: false });
    expect(off.body).toMatchObject({ success: true, enabled: false, next_run: null });
    const on = await call("POST", `/schedules/${id}/enable`, { enabled: true });
    expect(on.body).toMatchObject({ enabled: true, next_run });
    expect(await call("DELETE", `/schedules/${id}`)).toEqual({ status: 200, body: { success: true } });
    expect((await call("DELETE", `/schedules/${id}`)).status).toBe(404);
    expect((await call("POST", `/schedules/${id}/enable`, { enabled: true })).status).toBe(404);
  });

  test.each([
    ["hour", { ...planned, hour: 24 }],
    ["minute", { ...planned, minute: -1 }],
    ["days", { ...planned, days: 128 }],
    ["target", { ...planned, target: "stop" }],
    ["target", { ...planned, target: { type: "dance" } }],
    ["target", { hour: 1, minute: 1, days: 1 }],
    ["volume", { ...planned, volume: 101 }],
    ["enabled", { ...planned, enabled: true }],
  ])("a bad %s is a 400 that names it", async (field, body) => {
    const reply = await call("POST", "/schedules", body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain(field);
  });

  test("a target that names nothing is 404", async () => {
    expect(
      (await call("POST", "/schedules", { ...planned, target: { type: "station", id: "x" } })).status,
    ).toBe(404);
  });
});

describe("time", () => {
  test.each([
    ["timezone", "/settings/timezone", { timezone: "Europe/Berlin" }],
    ["timezone", "/settings/timezone", { timezone: "CET-1CEST,M3.5.0" }],
    ["epoch", "/settings/time", { epoch: -1 }],
    ["epoch", "/settings/time", { epoch: 4_102_444_801 }],
    ["epoch", "/settings/time", { epoch: 1.5 }],
    ["time_format_24h", "/settings/time-format", { time_format_24h: "yes" }],
  ])("a bad %s at %s is a 400 that names it", async (field, path, body) => {
    const reply = await call("POST", path, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toContain(field);
  });

  test("a timezone is stored, and moves what is planned", async () => {
    const timezone = "<+0330>-3:30";
    const made = await call("POST", "/schedules", {
      hour: 5,
      minute: 0,
      days: 127,
      target: { type: "stop" },
    });
    expect(await call("POST", "/settings/timezone", { timezone })).toEqual({
      status: 200,
      body: { success: true, timezone },
    });
    const { schedules } = (await call("GET", "/schedules")).body;
    expect(schedules[0].next_run).toMatch(/T05:00:00\+03:30$/);
    await call("DELETE", `/schedules/${made.body.id}`);
    await call("POST", "/settings/timezone", { timezone: "UTC0" });
  });

  test("the clock is set to the second, and the whole day follows", async () => {
    const epoch = Date.UTC(2030, 0, 15, 12) / 1000;
    const reply = await call("POST", "/settings/time", { epoch });
    expect(reply.body).toEqual({ success: true, epoch, time_source: "manual" });
    expect((await call("GET", "/prayer")).body.date).toBe("2030-01-15");
  });

  test("each mutation sends one event of its resource with its cause", async () => {
    const listener = new Listening(`${appliance.url}/ws`);
    await listener.hello();
    await call("POST", "/prayer/config", { method: 1 }, "c1");
    await call("POST", "/schedules", { hour: 1, minute: 1, days: 0, target: { type: "stop" } }, "c2");
    await call("POST", "/settings/time-format", { time_format_24h: true }, "c3");
    await listener.until(({ cause }) => cause === "c3");
    const causes = listener.heard.filter(({ cause }) => cause).map(({ event, cause }) => `${event} ${cause}`);
    expect(causes).toEqual(["prayer c1", "schedules c2", "settings c3"]);
    expect(listener.heard.map(({ event }) => event)).toEqual(["hello", "prayer", "schedules", "settings"]);
    await listener.close();
  });
});
