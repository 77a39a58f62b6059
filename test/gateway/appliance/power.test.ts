import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startBattery } from "../../../actors/appliance/battery.ts";
import { startClock } from "../../../actors/appliance/clock.ts";
import { startNetwork } from "../../../actors/appliance/network.ts";
import { type Power, startPower } from "../../../actors/appliance/power.ts";
import { Presence } from "../../../actors/appliance/presence.ts";
import { startSettings } from "../../../actors/appliance/settings.ts";
import { MemoryBacklight } from "../../../drivers/backlight/backlight.ts";
import { MemoryBattery } from "../../../drivers/battery/battery.ts";
import { chooseClock } from "../../../drivers/clock/open-clock.ts";
import { MemoryNetwork } from "../../../drivers/network/memory.ts";
import { MemoryPower } from "../../../drivers/power/memory.ts";
import { Listening } from "../listener.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";

let appliance: TestAppliance;
let network: MemoryNetwork;
let power: MemoryPower;
let backlight: MemoryBacklight;

beforeEach(async () => {
  const clock = await chooseClock("memory", false);
  const battery = new MemoryBattery();
  battery.reading = { present: true, voltage: 3.91, percentage: 64, charging: false };
  network = new MemoryNetwork("old");
  power = new MemoryPower();
  backlight = new MemoryBacklight();
  const presence = new Presence();
  const restart = "permanent" as const;
  appliance = await startAppliance({
    presence,
    children: (store) => [
      { id: "settings", start: startSettings(store), restart },
      { id: "clock", start: startClock(clock), restart },
      { id: "battery", start: startBattery(battery), restart },
      {
        id: "network",
        start: startNetwork({ driver: network, hotspot: false, announce: () => {} }),
        restart,
      },
      {
        id: "power",
        start: startPower({ driver: power, backlight, presence, dueInMs: () => null }),
        restart,
      },
    ],
  });
});
afterEach(() => appliance.stop());

async function call(method: string, path: string, body?: unknown) {
  const reply = await fetch(`${appliance.url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${appliance.token.value}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, text, body: JSON.parse(text) as Record<string, unknown> };
}

const post = (path: string, body?: unknown) => call("POST", path, body);

it("the battery is shown as it was read", async () => {
  await expect
    .poll(async () => (await call("GET", "/battery")).body)
    .toEqual({ present: true, voltage: 3.91, percentage: 64, charging: false });
});

describe("settings", () => {
  it("the brightness is stored, answered and lights the screen", async () => {
    expect(await post("/settings/brightness", { brightness: 12 })).toMatchObject({
      status: 200,
      body: { success: true, brightness: 12 },
    });
    expect(backlight.brightness).toBe(12);
    expect(await appliance.store.get("settings", "device")).toMatchObject({ brightness: 12 });
  });

  it("the auto-off minutes are stored, answered and counted", async () => {
    expect((await post("/settings/auto-off", { auto_off_minutes: 9 })).body).toEqual({
      success: true,
      auto_off_minutes: 9,
    });
    expect((await call("GET", "/settings")).body).toMatchObject({
      auto_off_minutes: 9,
      auto_off_remaining: 9,
    });
  });

  it.each([
    ["brightness", "/settings/brightness", [-1, 256, 1.5, "9", null, true]],
    ["auto_off_minutes", "/settings/auto-off", [-1, 241, 0.5, "9", null]],
  ])("a bad %s is a 400 that names it", async (field, path, values) => {
    for (const value of [...values, undefined]) {
      const { status, body } = await post(path, { [field]: value });
      expect([status, body.error]).toEqual([400, expect.stringMatching(`^${field}: `)]);
    }
  });
});

describe("the wireless network", () => {
  it("is joined after the reply; everybody hears of it, and nobody of the password", async () => {
    const listener = new Listening(`${appliance.url}/ws`);
    await listener.hello();
    const reply = await post("/settings/wifi", { ssid: "New", password: "open sesame" });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    await listener.until(({ event, data }) => event === "settings" && data.ssid === "New");
    const shown = await call("GET", "/settings");
    expect(shown.body).toMatchObject({ ssid: "New", wifi: { state: "online", joining: null, error: "" } });
    expect(JSON.stringify(listener.heard) + reply.text + shown.text).not.toContain("sesame");
    await listener.close();
  });

  it("that is not joined leaves the old one, with an event that says so", async () => {
    network.reachable = () => false;
    const listener = new Listening(`${appliance.url}/ws`);
    await listener.hello();
    await post("/settings/wifi", { ssid: "Far", password: "" });
    const told = await listener.until(
      ({ event, data }) => event === "settings" && (data.wifi as { error: string }).error !== "",
    );
    expect(told.data).toMatchObject({ wifi: { error: "Far could not be joined" } });
    expect(network.current).toBe("old");
    await listener.close();
  });

  it("is joined one at a time", async () => {
    network.reachable = () => "never";
    await post("/settings/wifi", { ssid: "First", password: "" });
    expect(await post("/settings/wifi", { ssid: "Second", password: "" })).toMatchObject({
      status: 400,
      body: { error: "First is being joined" },
    });
  });

  it.each([
    ["ssid", { ssid: "", password: "x" }],
    ["ssid", { ssid: "x".repeat(33), password: "x" }],
    ["ssid", { ssid: "م".repeat(17), password: "x" }],
    ["ssid", { ssid: "a\nb", password: "x" }],
    ["ssid", { password: "x" }],
    ["password", { ssid: "x", password: "x".repeat(64) }],
    ["password", { ssid: "x", password: "a\u0000b" }],
    ["password", { ssid: "x" }],
    ["hidden", { ssid: "x", password: "", hidden: true }],
  ])("with a bad %s is a 400 that names it, and no attempt is made", async (field, body) => {
    const reply = await post("/settings/wifi", body);
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringMatching(`^${field}: `)]);
    expect(appliance.tree.client<never, { state: string }>("appliance/network").view().state).toBe("online");
  });
});

describe("sleep", () => {
  it("begins after the reply and ends at the next request", async () => {
    const view = () => appliance.tree.client<never, ReturnType<Power["view"]>>("appliance/power").view();
    expect(await post("/system/sleep")).toMatchObject({ status: 200, body: { success: true } });
    await expect.poll(() => power.sleeping, { timeout: 5_000 }).toBe(true);
    expect(backlight.brightness).toBe(0);
    await call("GET", "/battery");
    await expect.poll(() => view().state).toBe("awake");
    expect(backlight.brightness).toBe(200);
  });

  it("takes nothing but an empty body", async () => {
    expect((await post("/system/sleep", { now: true })).status).toBe(400);
  });
});
