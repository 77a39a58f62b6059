import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Display, startDisplay } from "../../../actors/appliance/display.ts";
import { type RunningTree, startTree } from "../../../actors/tree.ts";
import { MemoryClock } from "../../../drivers/clock/memory.ts";
import type { DisplayDriver, Frame } from "../../../drivers/display/display.ts";
import { openLog } from "../../../drivers/log/log.ts";
import { defaultSettings } from "../../../machines/appliance/settings.ts";
import { standIn } from "./stand-in-child.ts";

/** A panel that counts what it is shown. */
class Panel implements DisplayDriver {
  readonly name = "framebuffer";
  readonly frames: Frame[] = [];
  async open(): Promise<void> {}
  async close(): Promise<void> {}
  async show(frame: Frame): Promise<void> {
    this.frames.push(frame);
  }
}

const stopped = {
  state: "stopped",
  mode: "idle",
  position: 0,
  duration: 0,
  volume: 50,
  track: "",
  reciter: "",
  surah_number: 0,
};
const paused = { ...stopped, state: "paused", mode: "file", duration: 9_000, surah_number: 112 };

let tree: RunningTree;
let panel: Panel;
let display: Display;
let playback: ReturnType<typeof standIn<object>>;
let nfc: ReturnType<typeof standIn<object>>;

beforeEach(async () => {
  vi.useFakeTimers({
    toFake: ["setInterval", "clearInterval", "Date"],
    now: Date.UTC(2026, 10, 15, 12, 0, 10),
  });
  panel = new Panel();
  playback = standIn<object>("playback", stopped);
  nfc = standIn<object>("nfc", { uid: "", taps: 0 });
  const start = startDisplay({ driver: panel, clock: new MemoryClock() });
  const others = [
    playback,
    nfc,
    standIn("settings", defaultSettings),
    standIn("power", { state: "awake" }),
    standIn("cards", [{ id: "04A2B3C4", name: "Bedtime" }]),
    standIn("ota", { in_progress: false }),
  ].map(({ spec }) => spec);
  const children = [...others, { id: "display", start, restart: "permanent" as const }];
  tree = await startTree(
    {
      id: "root",
      strategy: "one_for_one",
      children: [{ id: "appliance", strategy: "one_for_one", children }],
    },
    { log: openLog("silent") },
  );
  display = tree.client("appliance/display");
});

afterEach(async () => {
  await tree.drain();
  vi.useRealTimers();
});

const drawings = () => display.view().drawings;

it("draws once, and not again while nothing changes", () => {
  vi.advanceTimersByTime(40_000);
  expect(drawings()).toBe(1);
});

it("draws the clock again when its minute changes", () => {
  vi.advanceTimersByTime(55_000);
  expect(drawings()).toBe(2);
});

it("draws what changed, when it changed", () => {
  playback.show(paused);
  expect(drawings()).toBe(2);
  playback.show({ ...paused });
  expect(drawings()).toBe(2);
});

it("shows a registered card that was tapped", async () => {
  nfc.show({ uid: "04A2B3C4", taps: 1 });
  await Promise.resolve();
  expect(display.view().card).toEqual({ name: "Bedtime", uid: "04A2B3C4" });
  expect(drawings()).toBe(2);
});

it("gives the frame as a BMP of the whole screen", async () => {
  const bmp = Buffer.from(await display.ask({ type: "SCREENSHOT" }));
  expect([bmp.toString("latin1", 0, 2), bmp.readInt32LE(18), bmp.readInt32LE(22)]).toEqual(["BM", 480, 320]);
});
