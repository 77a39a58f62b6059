import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
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
    suite((known) => openSubject(known ?? join(home, `${randomUUID()}.db`)));
  });
  describeWithMongo(`${title}, on MongoDB`, () => {
    let mongo: TestMongo;
    beforeAll(async () => {
      mongo = await startMongo();
    }, 180_000);
    afterAll(() => mongo?.stop());
    suite((known) => openSubject(known ?? `${mongo.url}_${randomUUID().slice(0, 8)}`));
  });
}

async function openSubject(address: string): Promise<{ store: Store; address: string }> {
  return { store: await openStore(address, subjectCollections), address };
}
