import { afterEach, expect, it } from "vitest";
import { type Nfc, startNfc } from "../../../actors/appliance/nfc.ts";
import { type RunningTree, startTree } from "../../../actors/tree.ts";
import { openLog } from "../../../drivers/log/log.ts";
import type { NfcDriver, ReaderEvent } from "../../../drivers/nfc/nfc.ts";
import { defaultSettings } from "../../../machines/appliance/settings.ts";
import { DomainError } from "../../../machines/errors.ts";
import { standIn } from "./stand-in-child.ts";

/** A reader with hardware, as far as the actor can tell. */
class HandReader implements NfcDriver {
  readonly name = "pcsc";
  say: (event: ReaderEvent) => void = () => {};
  closed = 0;

  async open(): Promise<void> {
    this.say({ type: "reader_found" });
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  listen(listener: (event: ReaderEvent) => void): () => void {
    this.say = listener;
    return () => {};
  }
}

let tree: RunningTree;
afterEach(() => tree.drain(1_000));

async function start(choose: () => Promise<NfcDriver>) {
  const playback = standIn("playback", { state: "stopped", track: "", adhan: false });
  const cards = standIn("cards", [{ id: "04A2B3C4", name: "A card", binding: { type: "stop" } }]);
  const settings = standIn("settings", defaultSettings);
  const children = [
    settings.spec,
    cards.spec,
    playback.spec,
    { id: "nfc", start: startNfc({ choose }), restart: "permanent" as const },
  ];
  const spec = { id: "appliance", strategy: "one_for_one" as const, children };
  tree = await startTree(
    { id: "root", strategy: "one_for_one", children: [spec] },
    { log: openLog("silent") },
  );
  return { nfc: tree.client("appliance/nfc") as Nfc, told: playback.told };
}

it("follows a card on a real reader, and takes nothing else that the reader says for one", async () => {
  const reader = new HandReader();
  const { nfc, told } = await start(async () => reader);
  for (const uid of ["", "08", "04A2B3C4D5", "nonsense"]) reader.say({ type: "seen", uid });
  expect(nfc.view()).toMatchObject({ taps: 0, uid: "", present: false, reader: "up" });
  reader.say({ type: "seen", uid: "04A2B3C4" });
  expect(nfc.view()).toMatchObject({ taps: 1, uid: "04A2B3C4", present: true });
  await new Promise((turn) => setImmediate(turn));
  expect(told).toEqual(["STOP"]);
});

it("shows a reader that is unplugged, and that it is back", async () => {
  const reader = new HandReader();
  const { nfc } = await start(async () => reader);
  reader.say({ type: "reader_lost", reason: "unplugged" });
  expect(nfc.view().reader).toBe("down");
  reader.say({ type: "reader_found" });
  expect(nfc.view().reader).toBe("up");
});

it("lets nobody move a real card by a command", async () => {
  const reader = new HandReader();
  const { nfc } = await start(async () => reader);
  const tap = nfc.ask({ type: "CARD_SEEN", uid: "04A2B3C4", at: 0 });
  await expect(tap).rejects.toMatchObject({ code: "not_found" });
  expect(nfc.view().taps).toBe(0);
});

it("is missing alone when there is no reader, and lets go of one that it had", async () => {
  const reader = new HandReader();
  reader.open = () => Promise.reject(new DomainError("unavailable", "no PC/SC service answers"));
  await start(async () => reader);
  expect(tree.failures()).toMatchObject([{ component: "appliance/nfc" }]);
  expect(tree.failures()[0]?.error).toContain("no PC/SC service answers");
  expect(reader.closed).toBeGreaterThan(0);
});
