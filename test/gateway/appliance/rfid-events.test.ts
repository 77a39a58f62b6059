import { afterAll, beforeAll, expect, test } from "vitest";
import { startWhole, type WholeAppliance } from "./whole.ts";

const uid = "04A1B2C3D4E5F6";
let appliance: WholeAppliance;
beforeAll(async () => {
  appliance = await startWhole();
});
afterAll(() => appliance.stop());

const post = (path: string, body?: unknown) => appliance.call("POST", path, body);
const scan = async () => (await appliance.call("GET", "/rfid/scan")).body;

test("before the first tap the last scan is empty", async () => {
  expect(await scan()).toEqual({ uid: "", uid_len: 0, registered: false, age_ms: -1 });
});

test("a tap is told to everybody with the card's name, and without one when nobody knows it", async () => {
  const listener = await appliance.listen();
  await post("/rfid/virtual/tap", { uid });
  const unknown = await listener.until(({ event }) => event === "nfc");
  expect(unknown.data).toEqual({ uid, uid_len: 7, registered: false, name: null });
  expect(unknown.cause).toBeTruthy();
  expect(await scan()).toMatchObject({ uid, uid_len: 7, registered: false });

  await post("/rfid/cards", { uid, name: "Bedtime", binding: { type: "stop" } });
  await listener.until(({ event, data }) => event === "cards" && data.count === 1);
  await post("/rfid/virtual/tap", { uid: "01020304" });
  await post("/rfid/virtual/tap", { uid });
  const known = await listener.until(({ event, data }) => event === "nfc" && data.registered === true);
  expect(known.data).toEqual({ uid, uid_len: 7, registered: true, name: "Bedtime" });
  await listener.close();
});
