import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Nfc } from "../../../actors/appliance/nfc.ts";
import type { Playback } from "../../../actors/appliance/playback.ts";
import type { PlaybackView } from "../../../machines/appliance/playback-view.ts";
import { startWhole, type WholeAppliance } from "./whole.ts";

const uid = "04A1B2C3";
const reciter = "Demo tones (low)";
let appliance: WholeAppliance;
let playback: Playback;
beforeAll(async () => {
  appliance = await startWhole();
  playback = appliance.tree.client("appliance/playback");
  await post("/rfid/cards", { uid, name: "A card", binding: { type: "surah", reciter, surah: 114 } });
});
afterAll(() => appliance.stop());
beforeEach(async () => {
  await post("/rfid/virtual/remove");
  await emptied();
  await post("/playback/stop");
});

const post = (path: string, body?: unknown) => appliance.call("POST", path, body);
const policy = (name: string) => post("/settings/card-removal", { policy: name });
const tap = (card = uid) => post("/rfid/virtual/tap", { uid: card });

function until<V>(
  client: { view(): V; watch(listener: (view: V) => void): () => void },
  wanted: (view: V) => boolean,
): Promise<V> {
  const { promise, resolve } = Promise.withResolvers<V>();
  const look = (view: V) => wanted(view) && resolve(view);
  const stop = client.watch(look);
  look(client.view());
  return promise.finally(stop);
}
const emptied = () => until(appliance.tree.client("appliance/nfc") as Nfc, ({ present }) => !present);
const remove = async () => {
  await post("/rfid/virtual/remove");
  await emptied();
};
const plays = (track: string) =>
  until(playback, (view: PlaybackView) => view.state === "playing" && view.track === `${reciter}/${track}`);
const position = async () => (await appliance.call("GET", "/playback/status")).body.position;

describe("a tap", () => {
  test("plays what its card is bound to, and is the last scan", async () => {
    await tap("04:a1:b2:c3");
    await plays("114.wav");
    const { body } = await appliance.call("GET", "/rfid/scan");
    expect(body).toMatchObject({ uid, uid_len: 4, registered: true });
    expect(body.age_ms).toBeGreaterThanOrEqual(0);
  });

  test("keeps its age when the clock is set", async () => {
    await tap();
    await plays("114.wav");
    await post("/settings/time", { epoch: 1_900_000_000 });
    const { body } = await appliance.call("GET", "/rfid/scan");
    expect(body.age_ms).toBeLessThan(600_000);
  });

  test("of the card that already plays does nothing, also when it was away meanwhile", async () => {
    await policy("continue");
    await tap();
    await plays("114.wav");
    await remove();
    await post("/playback/seek", { position: 5_000 });
    await tap();
    // Each of these takes longer than a play that would start.
    for (let write = 0; write < 5; write++) await policy("continue");
    expect(await position()).toBeGreaterThanOrEqual(5_000);
  });

  test("plays its own again after something else was chosen", async () => {
    await policy("continue");
    await tap();
    await plays("114.wav");
    await remove();
    await post("/playback/play", { path: `${reciter}/113.wav` });
    await tap();
    await plays("114.wav");
  });

  test("of an unknown card changes nothing", async () => {
    await tap("01020304");
    expect((await appliance.call("GET", "/rfid/scan")).body).toMatchObject({ registered: false });
    expect(playback.view().state).toBe("stopped");
  });

  test("during an adhan only ends it", async () => {
    await post("/prayer/test-adhan");
    await tap();
    await until(playback, ({ adhan }) => adhan !== true);
    expect(playback.view().state).toBe("stopped");
  });
});

describe("a removal", () => {
  test("pauses, and the card that comes back goes on where it was", async () => {
    await policy("pause");
    await tap();
    await plays("114.wav");
    await post("/playback/seek", { position: 5_000 });
    await remove();
    await until(playback, ({ state }) => state === "paused");
    await tap();
    await plays("114.wav");
    expect(await position()).toBeGreaterThanOrEqual(5_000);
  });

  test("stops", async () => {
    await policy("stop");
    await tap();
    await plays("114.wav");
    await remove();
    await until(playback, ({ state }) => state === "stopped");
  });

  test("of a card that started nothing leaves alone what plays", async () => {
    await policy("stop");
    await post("/playback/play", { path: `${reciter}/113.wav` });
    await tap("01020304");
    await remove();
    expect(playback.view()).toMatchObject({ state: "playing", surah_number: 113 });
  });

  test("during an adhan leaves the adhan alone, and counts for what comes back", async () => {
    await policy("pause");
    await tap();
    await plays("114.wav");
    await post("/prayer/test-adhan");
    await remove();
    expect(playback.view()).toMatchObject({ state: "playing", adhan: true });
    await post("/playback/stop");
    const view = await until(playback, ({ state }) => state === "paused");
    expect(view.surah_number).toBe(114);
  });
});

describe("the cards", () => {
  const good = { uid: "01:02:03:04", name: "Another", binding: { type: "stop" } };
  const bound = (binding: object) => ({ ...good, binding });

  test.each([
    [400, "uid", { ...good, uid: "0102" }],
    [400, "uid", { ...good, uid: "010203zz" }],
    [400, "uid", { ...good, uid: 1_020_304 }],
    [400, "name", { ...good, name: "" }],
    [400, "name", { ...good, name: "\t" }],
    [400, "name", { ...good, name: "x".repeat(201) }],
    [400, "binding", { uid: good.uid, name: good.name }],
    [400, "binding", bound([])],
    [400, "binding.type", bound({ type: "dance" })],
    [400, "binding.surah", bound({ type: "surah", reciter, surah: 115 })],
    [400, "binding.path", bound({ type: "file", path: "../secret" })],
    [400, "binding.url", bound({ type: "stream", url: "file:///etc/hostname" })],
    [400, "url", bound({ type: "stream", url: "http://169.254.169.254/" })],
    [400, "binding.id", bound({ type: "station", id: "" })],
    [400, "binding.colour", bound({ type: "resume", colour: "red" })],
    [404, "reciter", bound({ type: "surah", reciter: "Nobody", surah: 1 })],
    [404, "surah", bound({ type: "surah", reciter, surah: 2 })],
    [404, "path", bound({ type: "file", path: "no/such.mp3" })],
    [404, "favorite", bound({ type: "favorite", id: "none" })],
    [404, "station", bound({ type: "station", id: "none" })],
  ])("a %i names %s, and no card is kept", async (status, field, body) => {
    const reply = await post("/rfid/cards", body);
    expect(reply).toMatchObject({ status, body: { error: expect.stringContaining(field) } });
    expect((await appliance.call("GET", "/rfid/cards")).body.cards).toHaveLength(1);
  });

  test("are never bound to the appliance's own address", async () => {
    const reply = await post("/rfid/cards", bound({ type: "stream", url: `${appliance.url}/api/system` }));
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("this device") } });
  });

  test("are replaced by their UID however it is written, and forgotten once", async () => {
    await post("/rfid/cards", good);
    await post("/rfid/cards", { ...good, uid: "01-02-03-04", name: "Newer" });
    const { body } = await appliance.call("GET", "/rfid/cards");
    expect(body.cards).toMatchObject([
      { uid },
      { uid: "01020304", name: "Newer", binding: { type: "stop" } },
    ]);
    expect((await appliance.call("DELETE", "/rfid/cards/01020304")).status).toBe(200);
    expect((await appliance.call("DELETE", "/rfid/cards/01020304")).status).toBe(404);
  });
});
