import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Network, startNetwork } from "../../../actors/appliance/network.ts";
import type { RunningTree } from "../../../actors/tree.ts";
import { MemoryNetwork } from "../../../drivers/network/memory.ts";
import type { Hotspot } from "../../../drivers/network/network.ts";
import { defaultSettings, type Settings } from "../../../machines/appliance/settings.ts";
import { plant, settled } from "../supervisor-subject.ts";
import { standIn } from "./stand-in-child.ts";

let driver: MemoryNetwork;
let announced: Hotspot[];
let tree: RunningTree;
let network: Network;
let settings: ReturnType<typeof standIn<Settings>>;

async function start(current: string | null, hotspot = false): Promise<void> {
  driver = new MemoryNetwork(current);
  announced = [];
  settings = standIn<Settings>("settings", defaultSettings);
  const announce = (opened: Hotspot) => announced.push(opened);
  const spec = {
    id: "network",
    start: startNetwork({ driver, hotspot, announce }),
    restart: "permanent" as const,
  };
  ({ tree } = await plant([{ id: "appliance", strategy: "one_for_one", children: [settings.spec, spec] }]));
  network = tree.client("appliance/network");
  await settled();
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(async () => {
  const drained = tree.drain(100);
  await settled();
  await drained;
  vi.useRealTimers();
});

const join = (ssid: string) => network.ask({ type: "JOIN", ssid, password: "open sesame" });

it("a network is joined and its name kept", async () => {
  await start("old");
  expect((await join("new")).state).toBe("joining");
  await settled();
  expect(network.view()).toEqual({ state: "online", ssid: "new", joining: null, error: "" });
  expect(tree.client<never, Settings>("appliance/settings").view().ssid).toBe("new");
});

it("one that refuses gives way to the old one at once", async () => {
  await start("old");
  driver.reachable = () => false;
  await join("new");
  await settled();
  expect(network.view()).toMatchObject({ state: "online", ssid: "old", error: "new could not be joined" });
  expect(driver.current).toBe("old");
});

it("one that does not answer gives way after 60 s", async () => {
  await start("old");
  driver.reachable = () => "never";
  await join("new");
  await vi.advanceTimersByTimeAsync(59_999);
  expect(network.view().state).toBe("joining");
  await vi.advanceTimersByTimeAsync(1);
  await settled();
  expect(network.view()).toMatchObject({
    state: "online",
    ssid: "old",
    error: "new was not joined within 60 s",
  });
});

it("a second network is not joined meanwhile", async () => {
  await start("old");
  driver.reachable = () => "never";
  await join("new");
  await expect(join("other")).rejects.toMatchObject({ code: "conflict", message: "new is being joined" });
});

it("a device that knows no network opens a hotspot and tells its password only to whoever stands there", async () => {
  await start(null, true);
  expect(network.view()).toMatchObject({ state: "hotspot", ssid: "" });
  expect(announced).toHaveLength(1);
  expect(JSON.stringify(network.view())).not.toContain(announced[0]!.password);
  await join("new");
  await settled();
  expect(network.view()).toMatchObject({ state: "online", ssid: "new" });
});

it("a machine that is no device opens none", async () => {
  await start(null);
  expect(network.view().state).toBe("offline");
  expect(announced).toEqual([]);
});

it("a network that comes and goes by itself is seen", async () => {
  await start("old");
  driver.change(null);
  expect(network.view()).toMatchObject({ state: "offline", ssid: "old" });
  driver.change("elsewhere");
  expect(network.view()).toMatchObject({ state: "online", ssid: "elsewhere" });
});
