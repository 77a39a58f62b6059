import { afterEach, expect, test } from "vitest";
import { prayerDay } from "../../../machines/appliance/prayer-times.ts";
import { prayerReport } from "../../../machines/appliance/prayer-view.ts";
import { daysFromCivil } from "../../../machines/appliance/timezone.ts";
import { startTimeRig, type TimeRig, until } from "./time-rig.ts";

const makkah = { lat: 21.4225, lng: 39.8262 };
const offsets_min = [0, 0, 0, 0, 0, 0];
const day = daysFromCivil(2026, 6, 1);
const { times } = prayerDay(makkah, { method: 3, asr_hanafi: false, offsets_min }, day);
const files = { "Demo/001.mp3": 900_000, "adhan.mp3": 90_000, "adhan.fajr.mp3": 120_000 };
const patch = { ...makkah, method: 3, adhan: { enabled: true, path: "adhan.mp3", volume: 70 } };

let rig: TimeRig;
afterEach(() => rig.stop());
const start = async (before: number, more: Partial<Parameters<typeof startTimeRig>[0]> = {}) => {
  rig = await startTimeRig({ files, start: (before - 60) * 1000, ...more });
  await rig.prayer.ask({ type: "CONFIGURE", patch });
};
const sounds = () => until(rig.playback, (view) => view.adhan === true && view.state === "playing");
const silent = () => until(rig.prayer, ({ sounding }) => sounding === null);
const now = () => rig.now() / 1000;

test("at its minute the adhan goes over what is on, and hands it back", async () => {
  await start(times.dhuhr);
  await rig.playback.ask({ type: "SET_VOLUME", volume: 30 });
  await rig.playback.ask({ type: "PLAY", request: { path: "Demo/001.mp3" } });
  rig.advance(59_000);
  expect(rig.prayer.view().sounding).toBeNull();
  rig.advance(1_000);
  expect(await sounds()).toMatchObject({ track: "adhan.mp3", volume: 70 });
  expect(rig.prayer.view()).toMatchObject({
    sounding: "dhuhr",
    called_at: times.dhuhr,
    next_adhan: times.asr,
  });
  rig.advance(90_000);
  await silent();
  expect(await until(rig.playback, ({ state }) => state === "playing")).toMatchObject({
    track: "Demo/001.mp3",
    volume: 30,
  });
});

test("fajr has the file beside the adhan's", async () => {
  await start(times.fajr);
  rig.advance(60_000);
  expect(await sounds()).toMatchObject({ track: "adhan.fajr.mp3" });
});

test("a missing file is an event and the chime", async () => {
  await start(times.asr);
  await rig.prayer.ask({ type: "CONFIGURE", patch: { adhan: { path: "gone.mp3" } } });
  rig.advance(60_000);
  await sounds();
  expect(rig.notices).toContainEqual(expect.objectContaining({ kind: "adhan_chime" }));
});

test("a prayer that the mask leaves out is silent", async () => {
  await start(times.dhuhr);
  await rig.prayer.ask({ type: "CONFIGURE", patch: { adhan: { prayer_mask: 0b101011 } } });
  expect(rig.prayer.view().next_adhan).toBe(times.asr);
  rig.advance(120_000);
  expect(rig.prayer.view().sounding).toBeNull();
});

test("a clock put over the minute by more than two minutes skips the adhan; by less it sounds at once", async () => {
  await start(times.dhuhr);
  await rig.clock.ask({ type: "SET_TIME", epoch: times.dhuhr + 121 });
  expect(rig.prayer.view()).toMatchObject({ sounding: null, next_adhan: times.asr });
  await rig.clock.ask({ type: "SET_TIME", epoch: times.asr + 119 });
  expect(await sounds()).toMatchObject({ track: "adhan.mp3" });
});

test("a clock that is put back does not call the same adhan twice", async () => {
  await start(times.dhuhr);
  rig.advance(60_000);
  await sounds();
  rig.advance(95_000);
  await silent();
  await rig.clock.ask({ type: "SET_TIME", epoch: times.dhuhr - 30 });
  rig.advance(60_000);
  expect(rig.prayer.view()).toMatchObject({ sounding: null, next_adhan: times.asr });
});

test("a stop ends it, and the next one comes at its time", async () => {
  await start(times.maghrib);
  rig.advance(60_000);
  await sounds();
  await rig.playback.ask({ type: "STOP" });
  await silent();
  rig.advance((times.isha - now()) * 1000);
  await sounds();
});

test("the configured adhan can be tried, one at a time, without a location", async () => {
  rig = await startTimeRig({ files, start: times.dhuhr * 1000 });
  await rig.prayer.ask({ type: "CONFIGURE", patch: { adhan: { path: "adhan.mp3" } } });
  await rig.prayer.ask({ type: "TEST_ADHAN" });
  expect(rig.playback.view()).toMatchObject({ adhan: true, track: "adhan.mp3" });
  await expect(rig.prayer.ask({ type: "TEST_ADHAN" })).rejects.toMatchObject({ code: "conflict" });
  await rig.playback.ask({ type: "STOP" });
  await silent();
  await rig.prayer.ask({ type: "TEST_ADHAN" });
});

test("without a location nothing sounds, and it says why", async () => {
  rig = await startTimeRig({ files, start: (times.dhuhr - 60) * 1000 });
  await rig.prayer.ask({ type: "CONFIGURE", patch: { adhan: { enabled: true } } });
  rig.advance(120_000);
  expect(prayerReport(rig.prayer.view(), now())).toMatchObject({
    reason: "no_location",
    configured: false,
    times: null,
    next: null,
    sounding: null,
    date: "2026-06-01",
  });
});

test("without a clock nothing sounds, until the time is set", async () => {
  await start(times.dhuhr, { source: "none" });
  rig.advance(120_000);
  expect(rig.prayer.view()).toMatchObject({ sounding: null, next_adhan: null });
  expect(prayerReport(rig.prayer.view(), null)).toMatchObject({
    reason: "no_clock",
    date: null,
    times: null,
  });
  await rig.clock.ask({ type: "SET_TIME", epoch: times.asr - 10 });
  rig.advance(10_000);
  await sounds();
});

test("half a location is refused, and the rest of the configuration stays", async () => {
  rig = await startTimeRig({ files, start: times.dhuhr * 1000 });
  const ask = rig.prayer.ask({ type: "CONFIGURE", patch: { lat: 5 } });
  await expect(ask).rejects.toMatchObject({ code: "invalid_input", field: "lng" });
  expect(await rig.store.get("settings", "prayer")).toBeNull();
});

test("the configuration is stored, and an adhan that was called is not called again after a restart", async () => {
  await start(times.dhuhr);
  rig.advance(60_000);
  await sounds();
  await expect.poll(() => rig.store.get("settings", "adhan")).toMatchObject({ called: times.dhuhr });
  await rig.stop(true);
  rig = await startTimeRig({ home: rig.home, start: (times.dhuhr + 30) * 1000 });
  expect(rig.prayer.view()).toMatchObject({ sounding: null, config: { ...makkah, method: 3 } });
  await rig.stop(true);
  await startLater();
});

/** The same home a day later, a minute and a half after the adhan that nobody called. */
async function startLater() {
  const tomorrow = prayerDay(makkah, { method: 3, asr_hanafi: false, offsets_min }, day + 1).times;
  rig = await startTimeRig({ home: rig.home, start: (tomorrow.dhuhr + 90) * 1000 });
  await sounds();
}
