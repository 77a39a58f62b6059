import { afterAll, beforeAll, expect, test } from "vitest";
import { applianceActors } from "../../../gateway/appliance/actors.ts";
import { applianceResources } from "../../../gateway/appliance/resources.ts";
import { startWhole, type WholeAppliance } from "./whole.ts";

let appliance: WholeAppliance;
beforeAll(async () => {
  appliance = await startWhole();
});
afterAll(() => appliance.stop());

test("what keeps the device awake or touches it is no news of the settings; minutes and networks are", async () => {
  const resources = applianceResources(applianceActors(appliance.tree));
  let news = 0;
  const stop = resources.find(({ name }) => name === "settings")!.watch(() => news++);
  await appliance.call("POST", "/settings/auto-off", { auto_off_minutes: 200 });
  news = 0;
  await appliance.call("POST", "/playback/volume", { volume: "loud" });
  await appliance.call("POST", "/playback/volume", { volume: 30 });
  await appliance.call("GET", "/settings");
  expect(news).toBe(0);
  await appliance.call("POST", "/settings/wifi", { ssid: "A network", password: "long enough" });
  expect(news).toBeGreaterThan(0);
  news = 0;
  await appliance.call("POST", "/playback/play", { path: "Demo tones (low)/001.wav" });
  expect(news).toBe(1);
  await appliance.call("POST", "/playback/stop");
  expect(news).toBe(2);
  stop();
});
