import { afterEach, beforeEach, expect, it } from "vitest";
import { setup } from "xstate";
import { Effects } from "../../actors/effects.ts";
import { entityHost } from "../../actors/entity.ts";
import type { EntityStep } from "../../actors/entity-step.ts";
import type { Store } from "../../drivers/store/store.ts";
import { onBothStores } from "./both-stores.ts";
import { log, meta, process, requestKind } from "./entity-subject.ts";

const quiet = async () => undefined;

onBothStores("an entity", (open) => {
  let store: Store;
  beforeEach(async () => {
    ({ store } = await open());
  });
  afterEach(() => store.close());

  it("is created as its plain record, stored before the answer", async () => {
    const { host } = process(store, quiet);
    const record = await host.create("r", { id: "r", by: "ana" }, meta);
    expect(record).toEqual({
      id: "r",
      by: "ana",
      status: "pending",
      count: 0,
      ref: null,
      expires_at: null,
      version: 1,
    });
    expect(await host.get("r")).toEqual(record);
    expect(await host.get("nobody")).toBeNull();
  });

  it("is refused as a conflict when the id is taken, and null where the caller looks itself", async () => {
    const { host } = process(store, quiet);
    await host.create("r", { id: "r", by: "ana", ref: "one" }, meta);
    await expect(host.create("r", { id: "r", by: "bo" }, meta)).rejects.toMatchObject({ code: "conflict" });
    expect(await host.createUnique("s", { id: "s", by: "bo", ref: "one" }, meta)).toBeNull();
    expect(await host.get("s")).toBeNull();
  });

  it("writes the record, its documents, the audit entry and what is outstanding in one commit", async () => {
    const { host } = process(store, quiet, {
      audit: ({ key, event, meta: { actor, cause } }) => ({
        collection: "audit",
        doc: { id: key, event: event.type, actor, cause },
      }),
    });
    await host.create("r", { id: "r", by: "ana" }, meta);
    expect((await store.find("outstanding")).items).toMatchObject([
      { id: "request/r/1/0", effect: "announce", params: { to: "all" } },
    ]);
    await host.tell("r", { type: "GRANT" }, meta);
    expect((await store.find("notes")).items).toEqual([
      { id: "request/r/2/0", of: "r", text: "granted", actor: "ana", version: 1 },
    ]);
    expect((await store.find("audit")).items).toMatchObject([
      { id: "request/r/1", event: "CREATED", cause: "request-1" },
      { id: "request/r/2", event: "GRANT", actor: "ana" },
    ]);
  });

  it("serialises a hundred events at once", async () => {
    const { host } = process(store, quiet);
    await host.create("r", { id: "r", by: "ana" }, meta);
    const records = await Promise.all(
      Array.from({ length: 100 }, () => host.tell("r", { type: "COUNT" }, meta)),
    );
    expect(records.map(({ count }) => count)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
  });

  it("loses nothing when two processes change it at once", async () => {
    const [a, b] = [process(store, quiet), process(store, quiet)];
    await a.host.create("r", { id: "r", by: "ana" }, meta);
    const both = [a, b].flatMap(({ host }) =>
      Array.from({ length: 40 }, () => host.tell("r", { type: "COUNT" }, meta)),
    );
    await Promise.all(both);
    expect(await a.host.get("r")).toMatchObject({ count: 80, version: 81 });
  });

  it("is decided once, whichever of two processes is first", async () => {
    const [a, b] = [process(store, quiet), process(store, quiet)];
    await a.host.create("r", { id: "r", by: "ana" }, meta);
    await b.host.tell("r", { type: "COUNT" }, meta);
    const results = await Promise.allSettled(
      [a, b].map(({ host }) => host.tell("r", { type: "GRANT" }, meta)),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "conflict", field: "status" },
    });
    expect(await store.count("notes")).toBe(1);
  });

  it("is refused only by what was just read, not by what this process remembers", async () => {
    const [a, b] = [process(store, quiet), process(store, quiet)];
    await a.host.create("r", { id: "r", by: "ana" }, meta);
    await a.host.tell("r", { type: "GRANT" }, meta);
    const { version, ...granted } = (await store.get("requests", "r"))!;
    await store.commit({ collection: "requests", version, doc: { ...granted, status: "announced" } });
    expect(await a.host.tell("r", { type: "GRANT" }, meta)).toMatchObject({ status: "granted", version: 4 });
    await expect(b.host.tell("r", { type: "GRANT" }, meta)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is not found when there is none, and its mailbox goes on after a refusal", async () => {
    const { host } = process(store, quiet);
    await expect(host.tell("r", { type: "COUNT" }, meta)).rejects.toMatchObject({ code: "not_found" });
    await host.create("r", { id: "r", by: "ana" }, meta);
    expect(await host.tell("r", { type: "COUNT" }, meta)).toMatchObject({ count: 1 });
  });

  it("refuses more events than its mailbox holds, and takes the others", async () => {
    const { host } = process(store, quiet, { mailbox: 5 });
    await host.create("r", { id: "r", by: "ana" }, meta);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => host.tell("r", { type: "COUNT" }, meta)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(results.at(-1)).toMatchObject({ reason: { code: "overloaded" } });
    expect(await host.tell("r", { type: "COUNT" }, meta)).toMatchObject({ count: 6 });
  });

  it("shows each step once, with what was before it, and survives a listener that throws", async () => {
    const steps: EntityStep[] = [];
    const { host } = process(store, quiet, {
      onStep: (step) => {
        steps.push(step);
        throw new Error("listener");
      },
    });
    await host.create("r", { id: "r", by: "ana" }, meta);
    await host.tell("r", { type: "GRANT" }, meta);
    await expect(host.tell("r", { type: "GRANT" }, meta)).rejects.toThrow();
    expect(steps).toMatchObject([
      {
        kind: "request",
        event: { type: "CREATED" },
        before: null,
        record: { status: "pending", version: 1 },
      },
      { event: { type: "GRANT" }, before: { version: 1 }, record: { status: "granted", version: 2 }, meta },
    ]);
  });

  it("keeps only a few records in memory, and knows the others still", async () => {
    const { host } = process(store, quiet, { known: 2 });
    for (const id of ["a", "b", "c", "d"]) await host.create(id, { id, by: "ana" }, meta);
    for (const id of ["a", "b", "c", "d"])
      expect(await host.tell(id, { type: "COUNT" }, meta)).toMatchObject({ count: 1, version: 2 });
  });

  it("is refused at the start when an action of its chart would be dropped in silence", () => {
    const forgotten = setup({ actions: { ring: () => {} } }).createMachine({ entry: "ring" });
    const kind = { ...requestKind(quiet), machine: forgotten } as never;
    expect(() => entityHost(store, kind, { effects: new Effects(store, { log }) })).toThrow("ring");
  });
});
