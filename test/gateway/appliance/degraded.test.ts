import { afterAll, beforeAll, expect, test } from "vitest";
import { live, Radio } from "../../drivers/audio/radio.ts";
import { startWhole, type WholeAppliance } from "./whole.ts";

const broken = [
  "library",
  "favorites",
  "stations",
  "cards",
  "nfc",
  "prayer",
  "scheduler",
  "battery",
  "network",
  "ota",
  "power",
  "display",
];
let appliance: WholeAppliance;
let radio: Radio;
beforeAll(async () => {
  radio = await new Radio({ "/live": live(Buffer.alloc(64_000, 0x55)) }).open();
  appliance = await startWhole({}, broken);
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => appliance.tree.failures().length === broken.length && resolve();
  const stop = appliance.tree.watchStatus(look);
  look();
  await promise.finally(stop);
});
afterAll(async () => {
  await appliance.stop();
  await radio.close();
});

test("a box on which hardly anything runs says what is missing", async () => {
  const { status, body } = await appliance.call("GET", "/system");
  expect(status).toBe(200);
  const failures = broken.map((id) => ({ component: `appliance/${id}`, error: "it is not there" }));
  expect(body.boot_failures).toHaveLength(failures.length);
  expect(body.boot_failures).toEqual(expect.arrayContaining(failures));
});

test("it plays a stream, and keeps its settings and its time", async () => {
  const play = await appliance.call("POST", "/playback/play", { url: radio.url("/live") });
  expect(play).toMatchObject({ status: 200, body: { success: true, mode: "stream" } });
  const set = await appliance.call("POST", "/settings/time-format", { time_format_24h: true });
  expect(set.status).toBe(200);
  const { status, body } = await appliance.call("GET", "/settings");
  expect(status).toBe(200);
  expect(body).toMatchObject({ time_format_24h: true, time_source: "sntp" });
  expect((await appliance.call("POST", "/playback/stop")).body.state).toBe("stopped");
});

test("it greets with what there is, and null for the rest", async () => {
  const listener = await appliance.listen();
  const { data } = await listener.hello();
  expect(data).toMatchObject({ library: null, nfc: null, prayer: null, ota: null, battery: null });
  expect(data).toMatchObject({ playback: { state: "stopped" }, settings: { time_format_24h: true } });
  expect(data.system).not.toBeNull();
  await listener.close();
});

test.each([
  ["library", "GET", "/library/reciters"],
  ["favorites", "GET", "/favorites"],
  ["stations", "GET", "/radio/stations"],
  ["stations", "POST", "/radio/stations", { name: "A radio", url: "http://127.0.0.1:9/" }],
  ["cards", "GET", "/rfid/cards"],
  ["nfc", "GET", "/rfid/scan"],
  ["prayer", "GET", "/prayer"],
  ["prayer", "POST", "/prayer/test-adhan"],
  ["scheduler", "GET", "/schedules"],
  ["battery", "GET", "/battery"],
  ["network", "POST", "/settings/wifi", { ssid: "A network", password: "" }],
  ["ota", "GET", "/ota/status"],
  ["power", "POST", "/system/sleep"],
  ["display", "GET", "/debug/screenshot"],
])("without its %s, %s %s is a 500 that says why", async (part, method, path, body?: object) => {
  const reply = await appliance.call(method, path, body);
  expect(reply.status).toBe(500);
  expect(reply.body).toEqual({ error: expect.stringContaining(part) });
  expect(reply.body.error).toContain("it is not there");
});
