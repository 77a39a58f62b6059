import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { MongoStore } from "../../drivers/store/mongodb.ts";
import { openStore } from "../../drivers/store/open-store.ts";
import type { Store } from "../../drivers/store/store.ts";
import { describeWithMongo, startMongo, type TestMongo } from "../mongo-server/mongo-server.ts";
import { subjectCollections } from "./entity-subject.ts";

/** A fresh database per call, or another client of a known one. */
type OpenSubject = (known?: string) => Promise<{ store: Store; address: string }>;

/** Runs a suite on both stores: what holds for entities must not depend on where they are kept. */
export function onBothStores(title: string, suite: (open: OpenSubject) => void): void {
  describe(`${title}, on SQLite`, () => {
    const home = mkdtempSync(join(tmpdir(), "minaret-entity-"));
    afterAll(() => rmSync(home, { recursive: true, force: true }));
    suite(async (address = join(home, `${randomUUID()}.db`)) => {
      return { store: await openStore(address, subjectCollections), address };
    });
  });
  describeWithMongo(`${title}, on MongoDB`, () => {
    let mongo: TestMongo;
    beforeAll(async () => {
      mongo = await startMongo();
    }, 180_000);
    afterAll(() => mongo?.stop());
    suite(async (address = `${mongo.url}_${randomUUID().slice(0, 8)}`) => {
      // A busy machine is no reason to fail: how fast it refuses is shown elsewhere.
      const store = new MongoStore(address, subjectCollections, { answerMs: 20_000 });
      await store.open();
      return { store, address };
    });
  });
}
