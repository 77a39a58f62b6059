import { afterEach, expect, test } from "vitest";
import { startTimeRig, type TimeRig, until } from "./time-rig.ts";

const files = { "Demo/001.mp3": 900_000, "Demo/002.mp3": 900_000, "adhan.mp3": 90_000 };
const start = Date.UTC(2026, 5, 1, 6, 59);
const surah = (number: number) => ({ type: "surah", reciter: "Demo", surah: number }) as const;
const planned = { hour: 7, minute: 0, days: 127, target: surah(1), volume: 55, enabled: true };

let rig: TimeRig;
afterEach(() => rig.stop());
const create = (id: string, more: Partial<typeof planned> | { target: object } = {}) =>
  rig.scheduler.ask({ type: "CREATE", schedule: { id, ...planned, ...more } as never });
const plays = (track: string) =>
  until(rig.playback, (view) => view.track === track && view.state === "playing");

test("a schedule is stored before it is shown, and plays at its time with its volume", async () => {
  rig = await startTimeRig({ files, start });
  expect(await create("a")).toMatchObject({ id: "a", next_run: "2026-06-01T07:00:00+00:00" });
  expect(await rig.store.get("schedules", "a")).toMatchObject({ hour: 7, target: surah(1) });
  rig.advance(60_000);
  expect(await plays("Demo/001.mp3")).toMatchObject({ volume: 55 });
  await until(rig.scheduler, ([a]) => a?.next_run === "2026-06-02T07:00:00+00:00");
});

test("another timezone moves it at once", async () => {
  rig = await startTimeRig({ files, start });
  await create("a", { hour: 9 });
  await rig.settings.ask({ type: "CHANGE", patch: { timezone: "CET-1CEST,M3.5.0,M10.5.0/3" } });
  expect(rig.scheduler.view()[0]?.next_run).toBe("2026-06-01T09:00:00+02:00");
  rig.advance(60_000);
  await plays("Demo/001.mp3");
});

test("what has run is not run again after a restart within its two minutes", async () => {
  rig = await startTimeRig({ files, start });
  await create("a", { days: 0 });
  await create("b", { target: surah(2), days: 127 });
  rig.advance(60_000);
  await until(rig.scheduler, ([a, b]) => a?.enabled === false && b?.next_run === "2026-06-02T07:00:00+00:00");
  await rig.stop(true);
  rig = await startTimeRig({ home: rig.home, start: start + 90_000 });
  expect(rig.scheduler.view().map(({ enabled }) => enabled)).toEqual([false, true]);
  rig.advance(5_000);
  expect(rig.playback.view().state).toBe("stopped");
});

test("what fell due during a short restart runs after it, and what is too late does not", async () => {
  rig = await startTimeRig({ files, start });
  await create("a");
  await create("b", { hour: 6, minute: 59, target: surah(2) });
  await rig.stop(true);
  rig = await startTimeRig({ home: rig.home, start: start + 60_000 + 110_000 });
  await plays("Demo/001.mp3");
});

test("what falls due during an adhan waits for it", async () => {
  rig = await startTimeRig({ files, start });
  await create("a");
  await rig.prayer.ask({ type: "CONFIGURE", patch: { adhan: { path: "adhan.mp3" } } });
  await rig.prayer.ask({ type: "TEST_ADHAN" });
  rig.advance(62_000);
  expect(rig.playback.view()).toMatchObject({ adhan: true, track: "adhan.mp3" });
  await rig.playback.ask({ type: "STOP" });
  await plays("Demo/001.mp3");
});

test("of an adhan and a schedule of the same minute the adhan goes first", async () => {
  const makkah = { lat: 21.4225, lng: 39.8262, method: 3 };
  rig = await startTimeRig({ files, start: Date.UTC(2026, 5, 1, 9, 0) });
  await rig.prayer.ask({
    type: "CONFIGURE",
    patch: { ...makkah, adhan: { enabled: true, path: "adhan.mp3" } },
  });
  const due = new Date(rig.prayer.view().next_adhan! * 1000);
  await create("a", { hour: due.getUTCHours(), minute: due.getUTCMinutes() });
  rig.advance(due.getTime() - rig.now());
  await until(rig.playback, (view) => view.adhan === true && view.state === "playing");
  rig.advance(5_000);
  expect(rig.playback.view()).toMatchObject({ adhan: true, track: "adhan.mp3" });
  rig.advance(90_000);
  expect(await plays("Demo/001.mp3")).not.toHaveProperty("adhan");
});

test("a target that cannot be played is over all the same, and the next one plays", async () => {
  rig = await startTimeRig({ files, start });
  await create("a", { target: { type: "resume" } });
  await create("b", { minute: 1, target: surah(2) });
  rig.advance(60_000);
  await until(rig.scheduler, ([a]) => a?.next_run === "2026-06-02T07:00:00+00:00");
  rig.advance(60_000);
  await plays("Demo/002.mp3");
});

test("a target that names nothing is refused and not stored", async () => {
  rig = await startTimeRig({ files, start });
  const refusals = [
    [{ type: "station", id: "none" }, "not_found"],
    [{ type: "surah", reciter: "Nobody", surah: 1 }, "not_found"],
    [{ type: "surah", reciter: "Demo", surah: 9 }, "not_found"],
    [{ type: "file", path: "gone.mp3" }, "not_found"],
    [{ type: "file", path: "../etc/passwd" }, "invalid_input"],
    [{ type: "stream", url: "http://forbidden.example/" }, "invalid_input"],
  ] as const;
  for (const [target, code] of refusals)
    await expect(create("a", { target }), JSON.stringify(target)).rejects.toMatchObject({ code });
  expect(rig.scheduler.view()).toEqual([]);
  expect((await rig.store.find("schedules")).items).toEqual([]);
});

test("unknown schedules are not found, and the list is bounded", async () => {
  rig = await startTimeRig({ files, start });
  await expect(rig.scheduler.ask({ type: "REMOVE", key: "x" })).rejects.toMatchObject({ code: "not_found" });
  const enable = rig.scheduler.ask({ type: "ENABLE", key: "x", enabled: true });
  await expect(enable).rejects.toMatchObject({ code: "not_found" });
  for (let n = 0; n < 100; n++) await create(`s${n}`, { target: { type: "stop" } });
  await expect(create("one more", { target: { type: "stop" } })).rejects.toMatchObject({ code: "conflict" });
});

test("one that is removed while it is being enabled is told so", async () => {
  rig = await startTimeRig({ files, start });
  await create("a");
  const removal = rig.scheduler.ask({ type: "REMOVE", key: "a" });
  const enabling = rig.scheduler.ask({ type: "ENABLE", key: "a", enabled: false });
  await expect(enabling).rejects.toMatchObject({ code: "not_found" });
  await removal;
  expect(rig.scheduler.view()).toEqual([]);
});
