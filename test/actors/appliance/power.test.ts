import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Power, startPower } from "../../../actors/appliance/power.ts";
import { Presence } from "../../../actors/appliance/presence.ts";
import type { RunningTree } from "../../../actors/tree.ts";
import { MemoryBacklight } from "../../../drivers/backlight/backlight.ts";
import { MemoryPower } from "../../../drivers/power/memory.ts";
import type { Activity } from "../../../machines/appliance/auto-off-reasons.ts";
import type { OtaView } from "../../../machines/appliance/ota.ts";
import { defaultSettings, type Settings } from "../../../machines/appliance/settings.ts";
import { plant, settled } from "../supervisor-subject.ts";
import { standIn } from "./stand-in-child.ts";

type Playback = NonNullable<Activity["playback"]>;

const stopped: Playback = { state: "stopped", advance_mode: "off" };
const playing: Playback = { state: "playing", advance_mode: "off" };
const minute = 60_000;
const hour = 60 * minute;

let playback: ReturnType<typeof standIn<Playback>>;
let ota: ReturnType<typeof standIn<Pick<OtaView, "in_progress">>>;
let settings: ReturnType<typeof standIn<Settings>>;
let driver: MemoryPower;
let backlight: MemoryBacklight;
let presence: Presence;
let dueInMs: number | null;
/** What playback shows after each stop. */
let stops: Playback[];
let slept: (number | null)[];
let tree: RunningTree;
let power: Power;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  playback = standIn<Playback>("playback", stopped, () => stops.shift() ?? stopped);
  stops = [];
  ota = standIn<Pick<OtaView, "in_progress">>("ota", { in_progress: false });
  settings = standIn<Settings>("settings", { ...defaultSettings, auto_off_minutes: 2, brightness: 180 });
  driver = new MemoryPower();
  slept = [];
  const sleep = driver.sleep.bind(driver);
  driver.sleep = (wakeInMs) => {
    slept.push(wakeInMs);
    return sleep(wakeInMs);
  };
  backlight = new MemoryBacklight();
  presence = new Presence();
  dueInMs = null;
  const start = startPower({ driver, backlight, presence, dueInMs: () => dueInMs });
  const children = [
    settings.spec,
    playback.spec,
    ota.spec,
    { id: "power", start, restart: "permanent" as const },
  ];
  ({ tree } = await plant([{ id: "appliance", strategy: "one_for_one", children }]));
  power = tree.client("appliance/power");
});

afterEach(async () => {
  const drained = tree.drain(100);
  await settled();
  await drained;
  vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

interface Situation {
  playback?: Playback;
  in_progress?: boolean;
  clients?: number;
  dueInMs?: number;
}

/** Who keeps whom awake: what is going on, and whether auto-off waits, sleep-now is taken, a sleeper wakes. */
const table: [string, Situation, { waits: boolean; sleepsNow: boolean; wakes: boolean }][] = [
  ["nothing", {}, { waits: false, sleepsNow: true, wakes: false }],
  [
    "a paused file",
    { playback: { ...playing, state: "paused" } },
    { waits: false, sleepsNow: true, wakes: false },
  ],
  ["a file that plays", { playback: playing }, { waits: true, sleepsNow: true, wakes: true }],
  [
    "a stream that buffers",
    { playback: { ...playing, state: "buffering" } },
    { waits: true, sleepsNow: true, wakes: true },
  ],
  [
    "a hifz gap",
    { playback: { state: "playing", advance_mode: "hifz_repeat", hifz: { waiting: true } } },
    { waits: true, sleepsNow: true, wakes: true },
  ],
  [
    "a hifz gap that is paused",
    { playback: { state: "paused", advance_mode: "hifz_repeat", hifz: { waiting: true } } },
    { waits: false, sleepsNow: true, wakes: false },
  ],
  [
    "a drill",
    { playback: { state: "playing", advance_mode: "hifz_ab", hifz: { waiting: false } } },
    { waits: true, sleepsNow: true, wakes: true },
  ],
  [
    "a drill mode with nothing on",
    { playback: { ...stopped, advance_mode: "hifz_ab" } },
    { waits: false, sleepsNow: true, wakes: false },
  ],
  ["an adhan", { playback: { ...playing, adhan: true } }, { waits: true, sleepsNow: true, wakes: true }],
  ["an update", { in_progress: true }, { waits: true, sleepsNow: false, wakes: true }],
  ["a dashboard", { clients: 1 }, { waits: true, sleepsNow: true, wakes: true }],
  ["something due in a minute", { dueInMs: minute }, { waits: true, sleepsNow: true, wakes: false }],
  ["something due in an hour", { dueInMs: hour }, { waits: false, sleepsNow: true, wakes: false }],
];

function arrange(situation: Situation): void {
  dueInMs = situation.dueInMs ?? null;
  playback.show(situation.playback ?? stopped);
  ota.show({ in_progress: situation.in_progress ?? false });
  presence.count(situation.clients ?? 0);
}

describe("who keeps whom awake", () => {
  it.each(table)("%s: auto-off", async (_, situation, { waits }) => {
    arrange(situation);
    await pass(2 * minute + 1_000);
    expect(driver.sleeping).toBe(!waits);
    expect(power.view().remaining_minutes).toBeNull();
  });

  it.each(table)("%s: sleep now", async (_, situation, { sleepsNow }) => {
    arrange(situation);
    const reply = power.ask({ type: "SLEEP" });
    if (!sleepsNow) return void (await expect(reply).rejects.toMatchObject({ code: "conflict" }));
    expect((await reply).state).toBe("sleeping");
    await pass(1_000);
    expect(driver.sleeping).toBe(true);
    expect(power.view().state).toBe("sleeping");
  });

  it.each(table)("%s: begins while the stand-in sleeps", async (_, situation, { wakes }) => {
    await power.ask({ type: "SLEEP" });
    await pass(1_000);
    arrange(situation);
    await settled();
    expect(driver.sleeping).toBe(!wakes);
  });
});

describe("auto-off", () => {
  it("shows the minutes that remain, and starts again after a touch, a reason or another setting", async () => {
    const left = () => power.view().remaining_minutes;
    expect(left()).toBe(2);
    await pass(minute);
    expect(left()).toBe(1);
    presence.touch(true);
    expect(left()).toBe(2);
    await pass(minute);
    presence.count(1);
    expect(left()).toBeNull();
    presence.count(0);
    expect(left()).toBe(2);
    settings.show({ ...defaultSettings, auto_off_minutes: 5 });
    expect(left()).toBe(5);
    settings.show({ ...defaultSettings, auto_off_minutes: 0 });
    expect(left()).toBeNull();
    await pass(24 * hour);
    expect(driver.sleeping).toBe(false);
  });

  it("a look at the status is no touch while the device is awake", async () => {
    await pass(minute);
    presence.touch(false);
    expect(power.view().remaining_minutes).toBe(1);
  });

  it("a clock that is set forward or back neither triggers nor delays it", async () => {
    await pass(minute);
    vi.setSystemTime(Date.now() + 24 * hour);
    await pass(30_000);
    vi.setSystemTime(Date.now() - 48 * hour);
    expect(driver.sleeping).toBe(false);
    await pass(31_000);
    expect(driver.sleeping).toBe(true);
  });
});

describe("sleep", () => {
  it("stops what plays, also what an adhan gives back, and darkens the screen", async () => {
    stops = [playing, stopped];
    playback.show({ ...playing, adhan: true });
    await power.ask({ type: "SLEEP" });
    expect(playback.told).toEqual(["STOP", "STOP"]);
    await settled();
    expect(backlight.brightness).toBe(0);
  });

  it("sets the alarm 90 s before what is due, and wakes by it", async () => {
    dueInMs = hour;
    await power.ask({ type: "SLEEP" });
    await pass(1_000);
    expect(slept).toEqual([hour - 90_000]);
    await pass(hour - 90_000);
    expect(power.view()).toMatchObject({ state: "awake", woken_by: "due" });
  });

  it("without anything due there is no alarm, and any request wakes the stand-in with its light", async () => {
    await power.ask({ type: "SLEEP" });
    await pass(1_000);
    expect(slept).toEqual([null]);
    presence.touch(false);
    await settled();
    expect(power.view()).toMatchObject({ state: "awake", woken_by: "touch" });
    expect(backlight.brightness).toBe(180);
  });

  it("goes on while a dashboard that was there before stays, and while somebody only looks", async () => {
    presence.count(1);
    await power.ask({ type: "SLEEP" });
    presence.touch(false);
    await pass(1_000);
    presence.count(0);
    expect(driver.sleeping).toBe(true);
  });

  it("is called off by what begins in its last second", async () => {
    await power.ask({ type: "SLEEP" });
    playback.show({ ...playing, adhan: true });
    await pass(5_000);
    expect(slept).toEqual([]);
    expect(power.view().state).toBe("awake");
  });

  it("that fails leaves the device awake and says why", async () => {
    driver.sleep = () => Promise.reject(new Error("EBUSY"));
    await power.ask({ type: "SLEEP" });
    await pass(1_000);
    expect(power.view()).toMatchObject({ state: "awake", error: "the device could not go to sleep" });
  });

  it("is not asked for twice", async () => {
    await power.ask({ type: "SLEEP" });
    await expect(power.ask({ type: "SLEEP" })).rejects.toMatchObject({ code: "conflict" });
  });
});

it("a brightness that is set reaches the screen", async () => {
  await settled();
  expect(backlight.brightness).toBe(180);
  settings.show({ ...defaultSettings, brightness: 7 });
  await settled();
  expect(backlight.brightness).toBe(7);
});
