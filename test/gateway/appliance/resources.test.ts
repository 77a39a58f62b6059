import { afterAll, beforeAll, expect, test } from "vitest";
import { applianceActors } from "../../../gateway/appliance/actors.ts";
import { applianceResources } from "../../../gateway/appliance/resources.ts";
import { startWhole, type WholeAppliance } from "./whole.ts";

let appliance: WholeAppliance;
beforeAll(async () => {
  appliance = await startWhole();
});
afterAll(() => appliance.stop());

test("a change of a setting or a prayer is one piece of news, when it is stored", async () => {
  const resources = applianceResources(applianceActors(appliance.tree));
  const news: string[] = [];
  const stops = ["settings", "prayer"].map((wanted) =>
    resources.find(({ name }) => name === wanted)!.watch(() => news.push(wanted)),
  );
  await appliance.call("POST", "/settings/brightness", { brightness: 77 });
  await appliance.call("POST", "/prayer/config", { method: 4 });
  await appliance.call("POST", "/prayer/config", { method: 4 });
  expect(news).toEqual(["settings", "prayer"]);
  for (const stop of stops) stop();
});

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
  await appliance.call("POST", "/playback/play", { path: "Demo tones (low)/001.wav" });
  expect(news).toBe(1);
  await appliance.call("POST", "/playback/stop");
  expect(news).toBe(2);
  await appliance.call("POST", "/settings/wifi", { ssid: "A network", password: "long enough" });
  expect(news).toBeGreaterThan(2);
  stop();
});

test("what people keep is soon counted among the entries of the store", async () => {
  const listener = await appliance.listen();
  const used = (data: Record<string, unknown>) => (data.nvs as { used: number } | undefined)?.used ?? 0;
  const { data: hello } = await listener.hello();
  const before = used(hello.system as Record<string, unknown>);
  for (const name of ["one", "two", "three"])
    await appliance.call("POST", "/radio/stations", { name, url: "http://127.0.0.1:9/" });
  await listener.until(({ event, data }) => event === "system" && used(data) >= before + 3);
  await listener.close();
});
