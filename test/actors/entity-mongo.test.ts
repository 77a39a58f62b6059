import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openStore } from "../../drivers/store/open-store.ts";
import type { Store } from "../../drivers/store/store.ts";
import { describeWithMongo, startMongo, type TestMongo } from "../mongo-server/mongo-server.ts";
import { meta, process as platform, subjectCollections } from "./entity-subject.ts";

const patience = { timeout: 30_000, interval: 50 };
let mongo: TestMongo;
let store: Store;
beforeEach(async () => {
  mongo = await startMongo();
  store = await openStore(mongo.url, subjectCollections);
}, 180_000);
afterEach(async () => {
  await store.close();
  await mongo.stop();
});

describeWithMongo("one entity and several processes", () => {
  it("loses no step of any of them", async () => {
    const { host } = platform(store, async () => undefined);
    await host.create("r", { id: "r", by: "ana" }, meta);
    const script = fileURLToPath(new URL("./entity-counter.ts", import.meta.url));
    const others = [1, 2].map(() => spawn(process.execPath, [script, mongo.url, "25"]));
    await Promise.all(others.map(({ stdout }) => once(stdout, "data")));
    const ended = others.map((other) => once(other, "exit"));
    for (const { stdin } of others) stdin.write("go\n");
    for (let n = 0; n < 25; n++) await host.tell("r", { type: "COUNT" }, meta);
    expect(await Promise.all(ended)).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(await host.get("r")).toMatchObject({ count: 75, version: 76 });
  }, 60_000);
});

describeWithMongo(
  "a database that is killed and comes back",
  () => {
    it("refuses steps meanwhile, and what was outstanding or fell due happens when it is back", async () => {
      const keys: string[] = [];
      let open = false;
      const announce = async (key: string) => {
        keys.push(key);
        if (!open) throw new Error("nobody answers");
        return { type: "ANNOUNCED" } as const;
      };
      const quick = { backoffMs: () => 50, attempts: 1_000, leaseMs: 500, pollMs: 100 };
      const { host, effects, timers } = platform(store, announce, quick);
      effects.start();
      timers.start();
      await host.create("r", { id: "r", by: "ana" }, meta);
      await host.create("d", { id: "d", by: "ana", expires_at: Date.now() + 4_000 }, meta);
      // The test server writes its file once a second, and when it is asked to end.
      await mongo.restart();
      await mongo.kill();
      await expect(host.tell("r", { type: "COUNT" }, meta)).rejects.toMatchObject({ code: "unavailable" });
      open = true;
      await mongo.restart();
      await vi.waitFor(async () => {
        expect(await host.get("r")).toMatchObject({ status: "announced", count: 0 });
        expect(await host.get("d")).toMatchObject({ status: expect.stringMatching(/lapsed/) });
      }, patience);
      expect(await host.tell("r", { type: "COUNT" }, meta)).toMatchObject({ status: "announced", count: 1 });
      expect(new Set(keys)).toEqual(new Set(["request/r/1/0", "request/d/1/0"]));
      await effects.stop();
      await timers.stop();
    }, 90_000);
  },
  { killable: true },
);
