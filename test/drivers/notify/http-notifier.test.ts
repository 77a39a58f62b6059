import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openNotifier } from "../../../drivers/notify/http-notifier.ts";
import { AdapterServer } from "../../actors/soc/adapter-server.ts";

let adapter: AdapterServer;
beforeEach(async () => {
  adapter = await new AdapterServer().open();
});
afterEach(() => adapter.close());

const note = { type: "playbook", text: "it is done", at: "2026-03-01T10:00:00.000Z" } as const;

describe("a notification", () => {
  it("is posted as JSON with its key", async () => {
    const outcome = await openNotifier(`${adapter.url}/hook?channel=soc`)?.send(note, "k1");
    expect(outcome).toMatchObject({ kind: "answered" });
    expect(adapter.calls).toMatchObject([{ method: "POST", path: "/hook?channel=soc", key: "k1" }]);
    expect(JSON.parse(adapter.calls[0]!.body)).toEqual(note);
  });

  it("that is refused or not answered says which", async () => {
    const notifier = openNotifier(adapter.url);
    adapter.next = ["fail", "hang up", "stall"];
    expect(await notifier?.send(note, "k1")).toMatchObject({ kind: "refused" });
    expect(await notifier?.send(note, "k1")).toMatchObject({ kind: "unknown" });
    expect(await notifier?.send(note, "k1", { timeoutMs: 50 })).toMatchObject({ kind: "unknown" });
  });

  it("goes nowhere without an address", () => {
    expect(openNotifier(undefined)).toBeNull();
  });
});
