import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEdrPoller } from "../../../actors/soc/edr-poller.ts";
import { HttpEdr } from "../../../drivers/edr/http-edr.ts";
import type { Store } from "../../../drivers/store/store.ts";
import type { EndpointAction } from "../../../machines/soc/edr-endpoint.ts";
import { AdapterServer, type Behaviour } from "./adapter-server.ts";
import { openStore, ResponseProcess, responder } from "./response-process.ts";

let store: Store;
let soc: ResponseProcess;
let adapter: AdapterServer;
let edr: HttpEdr;
beforeEach(async () => {
  store = await openStore();
  adapter = await new AdapterServer().open();
  adapter.endpoints.push({ id: "ep-1", hostname: "web-1", ip: "10.0.0.7", status: "online" });
  edr = new HttpEdr({ url: `${adapter.url}/`, inventoryTimeoutMs: 300 });
  soc = new ResponseProcess(store, { edr });
  await look();
});
afterEach(async () => {
  await soc.stop();
  await adapter.close();
});

const look = async () => {
  const at = new Date(soc.clock.now).toISOString();
  await soc.endpoints.learn(await edr.inventory(), at);
};
const get = () => soc.endpoints.get("ep-1");
const act = (action: EndpointAction = "isolate", reason: string | null = null) =>
  soc.endpoints.act("ep-1", action, reason, responder);

describe("an endpoint", () => {
  it("is isolated only when the adapter has confirmed it", async () => {
    adapter.behaviour = "stall";
    const arrived = adapter.arrival();
    expect(await act("isolate", "part of the intrusion")).toMatchObject({
      status: "isolating",
      action: { name: "isolate", by: "responder" },
    });
    await arrived;
    expect(await get()).toMatchObject({ status: "isolating" });
    expect(JSON.parse(adapter.asked[0]?.body ?? "")).toEqual({ reason: "part of the intrusion" });
    expect(adapter.asked[0]?.key).toMatch(/^action-/);
  });

  it("is isolated, scanned and released through the adapter", async () => {
    for (const [action, status] of [
      ["isolate", "isolated"],
      ["scan", "isolated"],
      ["unisolate", "online"],
    ] as const) {
      await act(action);
      await soc.settle();
      expect(await get()).toMatchObject({
        status,
        action: null,
        last_action: { name: action, outcome: "confirmed" },
      });
    }
    expect(new Set(adapter.asked.map((call) => call.key)).size).toBe(3);
  });

  it("stays as it was when the adapter refuses, fails or says no", async () => {
    for (const how of ["refuse", "fail", "deny"] as const) {
      adapter.next = [how];
      await act();
      await soc.settle();
      expect(await get()).toMatchObject({ status: "online", last_action: { outcome: "refused" } });
    }
  });

  it.each<Behaviour>(["garbage", "hang up"])(
    "waits for the inventory when the adapter's answer is %s",
    async (how) => {
      adapter.honoursKeys = false;
      await look();
      adapter.behaviour = how;
      await act();
      await soc.settle();
      expect(await get()).toMatchObject({ status: "isolating" });
      soc.clock.now += 1000;
      await look();
      expect(await get()).toMatchObject({
        status: "isolated",
        last_action: { outcome: "confirmed", receipt: { confirmed_by: "inventory" } },
      });
      expect(adapter.asked).toHaveLength(1);
    },
  );

  it("is followed in the inventory when the adapter has only accepted", async () => {
    adapter.behaviour = "accept";
    await act();
    await soc.settle();
    expect(await get()).toMatchObject({ status: "isolated" });
  });

  it("goes back when nobody confirms in time, to the second", async () => {
    adapter.honoursKeys = false;
    await look();
    adapter.behaviour = "garbage";
    await act();
    adapter.endpoints[0]!.status = "online";
    await soc.settle();
    await soc.pass(59);
    expect(await get()).toMatchObject({ status: "isolating" });
    await soc.pass(1);
    expect(await get()).toMatchObject({ status: "online", last_action: { outcome: "unconfirmed" } });
  });

  it("takes one action at a time, and only those that its state allows", async () => {
    await expect(act("unisolate")).rejects.toMatchObject({ code: "conflict" });
    adapter.behaviour = "stall";
    await act();
    for (const action of ["isolate", "unisolate", "scan"] as const)
      await expect(act(action)).rejects.toMatchObject({ code: "conflict" });
    const unknown = soc.endpoints.act("ep-9", "scan", null, responder);
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  });

  it("is left alone without an adapter", async () => {
    await soc.stop();
    soc = new ResponseProcess(store, {});
    const before = await get();
    await expect(act()).rejects.toMatchObject({ code: "unavailable" });
    expect(await get()).toEqual(before);
    expect((await soc.endpoints.stats()).adapter.status).toBe("off");
  });
});

describe("the inventory", () => {
  it("teaches new endpoints, changes known ones, and writes nothing where nothing changed", async () => {
    adapter.endpoints.push({ id: "ep-2", hostname: "db-1", os: "Linux", status: "isolated" });
    await look();
    const { version } = await get();
    expect((await soc.endpoints.list({}, { status: "isolated" })).items).toMatchObject([{ id: "ep-2" }]);
    await look();
    expect((await get()).version).toBe(version);
    adapter.endpoints[0]!.ip = "10.0.0.8";
    adapter.endpoints[0]!.status = "offline";
    await look();
    expect(await get()).toMatchObject({ ip: "10.0.0.8", status: "offline", version: version + 1 });
    expect(await soc.endpoints.stats()).toMatchObject({ total: 2, by_status: { offline: 1, isolated: 1 } });
  });

  it("that was asked for before an action ended does not undo it", async () => {
    const asked = new Date(soc.clock.now).toISOString();
    const old = await edr.inventory();
    soc.clock.now += 1000;
    await act();
    await soc.settle();
    await soc.endpoints.learn(old, asked);
    expect(await get()).toMatchObject({ status: "isolated" });
    adapter.endpoints[0]!.status = "online";
    soc.clock.now += 1000;
    await look();
    expect(await get()).toMatchObject({ status: "online" });
  });

  it("leaves no trace in the audit stream, and an action does", async () => {
    expect(await store.count("audit")).toBe(0);
    await act();
    await soc.settle();
    const { items } = await soc.desk.audit.list({}, { object: "endpoint/ep-1" });
    expect(new Set(items.map((entry) => `${entry.action} by ${entry.actor}`))).toEqual(
      new Set(["endpoint.ISOLATE by responder", "endpoint.CONFIRMED by system"]),
    );
  });
});

describe("the poller", () => {
  const log = pino({ level: "silent" });
  const startPoller = async (everyMs: number) => {
    const begin = startEdrPoller({ edr, endpoints: soc.endpoints, now: () => soc.clock.now, everyMs });
    return begin({ path: "soc/edr", tree: null as never, log, inspect: undefined });
  };
  const until = async (status: string) => {
    while (soc.endpoints.adapter.status !== status) await new Promise((go) => setTimeout(go, 5));
  };

  it("says that the adapter is down, keeps what it knows, and goes on when it is back", async () => {
    adapter.inventory = (response) => void response.end("not an inventory");
    const { ref, close } = await startPoller(20);
    await until("down");
    expect(await get()).toMatchObject({ status: "online" });
    adapter.inventory = undefined;
    adapter.endpoints.push({ id: "ep-3", hostname: "new", status: "online" });
    await until("up");
    expect(await soc.endpoints.get("ep-3")).toMatchObject({ hostname: "new" });
    ref.stop();
    await close?.();
  });
});
