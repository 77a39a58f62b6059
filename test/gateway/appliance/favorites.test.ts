import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Favorites } from "../../../actors/appliance/favorites.ts";
import { makeCard } from "../../drivers/library/make-card.ts";
import { Listening } from "../listener.ts";
import type { TestAppliance } from "./appliance.ts";
import { caller, startWithCard } from "./library-appliance.ts";

const surah = { type: "surah", reciter: "R", surah: 1 };
const stream = { type: "stream", url: "http://radio.example/live", name: "Radio" };
let appliance: TestAppliance;
const call = caller(() => appliance);
const listed = async () =>
  (await call("GET", "/favorites")).body.favorites as { id: string; play_count: number }[];

beforeEach(async () => {
  appliance = await startWithCard(makeCard({ "R/001.mp3": 1, "R/002.mp3": 1 }));
});
afterEach(() => appliance.stop());

describe("favorites", () => {
  test("a surah and a stream are kept with their names and no plays", async () => {
    const kept = { id: expect.any(String), play_count: 0, created_at: expect.stringMatching(/^\d{4}-.*Z$/) };
    const first = await call("POST", "/favorites", surah);
    expect(first).toEqual({ status: 200, body: { success: true, ...surah, name: "Al-Fatihah", ...kept } });
    const second = await call("POST", "/favorites", stream);
    expect(second).toEqual({ status: 200, body: { success: true, ...stream, ...kept } });
    const { success: _, ...record } = first.body;
    expect((await listed())[0]).toEqual(record);
    expect(await appliance.store.get("favorites", record.id as string)).toMatchObject(record);
  });

  test("adding one that exists returns it, however it is spelt", async () => {
    const first = await call("POST", "/favorites", stream);
    const again = await call("POST", "/favorites", {
      ...stream,
      url: "HTTP://RADIO.example:80/live",
      name: "Other",
    });
    expect(again).toEqual(first);
    expect(await listed()).toHaveLength(1);
  });

  test("ten of the same at once are one", async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => call("POST", "/favorites", surah)));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect((await appliance.store.find("favorites")).items).toHaveLength(1);
  });

  test("toggle adds, then removes; two at once do both", async () => {
    expect((await call("POST", "/favorites/toggle", surah)).body).toMatchObject({
      success: true,
      added: true,
    });
    const removed = await call("POST", "/favorites/toggle", surah);
    expect(removed.body).toMatchObject({ success: true, added: false, favorite: surah });
    const both = await Promise.all([
      call("POST", "/favorites/toggle", surah),
      call("POST", "/favorites/toggle", surah),
    ]);
    expect(new Set(both.map(({ body }) => body.added))).toEqual(new Set([false, true]));
    expect(await listed()).toEqual([]);
  });

  test("one is removed once; an unknown id is 404", async () => {
    const { id } = (await call("POST", "/favorites", surah)).body;
    expect(await call("DELETE", `/favorites/${id as string}`)).toEqual({
      status: 200,
      body: { success: true },
    });
    expect((await call("DELETE", `/favorites/${id as string}`)).status).toBe(404);
    expect((await appliance.store.find("favorites")).items).toEqual([]);
  });

  test.each([
    ["type", 400, { ...surah, type: "file" }],
    ["type", 400, { reciter: "R", surah: 1 }],
    ["reciter", 400, { ...surah, reciter: "" }],
    ["reciter", 400, { ...surah, reciter: 7 }],
    ["reciter", 400, { ...surah, reciter: "a\u0000" }],
    ["reciter", 400, { type: "surah", surah: 1 }],
    ["reciter", 404, { ...surah, reciter: "Nobody" }],
    ["surah", 400, { ...surah, surah: 0 }],
    ["surah", 400, { ...surah, surah: 115 }],
    ["surah", 400, { ...surah, surah: 1.5 }],
    ["surah", 400, { ...surah, surah: "1" }],
    ["surah", 404, { ...surah, surah: 3 }],
    ["url", 400, { ...stream, url: "ftp://radio.example/" }],
    ["url", 400, { ...stream, url: "http://evil.example/" }],
    ["url", 400, { ...stream, url: "http://169.254.169.254/" }],
    ["url", 400, { ...stream, url: "https://127.0.0.1:8443/" }],
    ["url", 400, { ...stream, url: "http://u:p@radio.example/" }],
    ["url", 400, { type: "stream", name: "x" }],
    ["name", 400, { ...stream, name: " " }],
    ["name", 400, { ...stream, name: "x".repeat(201) }],
    ["colour", 400, { ...surah, colour: "red" }],
  ])("a bad %s is a %i that names it, and nothing is kept", async (field, status, body) => {
    for (const path of ["/favorites", "/favorites/toggle"]) {
      const reply = await call("POST", path, body);
      expect(reply.status).toBe(status);
      expect(reply.body.error).toMatch(new RegExp(`\\b${field}\\b`));
    }
    expect(await listed()).toEqual([]);
  });

  test("plays of what is kept are counted, and saved when the service stops", async () => {
    const { id } = (await call("POST", "/favorites", stream)).body;
    const favorites: Favorites = appliance.tree.client("appliance/favorites");
    await favorites.ask({ type: "COUNT_PLAY", played: { type: "stream", url: stream.url } });
    await favorites.ask({ type: "COUNT_PLAY", played: { type: "stream", url: stream.url } });
    await favorites.ask({ type: "COUNT_PLAY", played: { type: "surah", reciter: "R", surah: 2 } });
    expect((await listed())[0]?.play_count).toBe(2);
    expect(await appliance.store.get("favorites", id as string)).toMatchObject({ play_count: 0 });
    await appliance.tree.drain(2_000);
    expect(await appliance.store.get("favorites", id as string)).toMatchObject({ play_count: 2, version: 2 });
  });

  test("each change reaches the stream as one event with its cause", async () => {
    const listener = new Listening(`${appliance.url}/ws`);
    expect((await listener.hello()).data).toMatchObject({ favorites: { favorites: [] } });
    const { id } = (await call("POST", "/favorites", surah, { "x-request-id": "add" })).body;
    await call("POST", "/favorites", surah, { "x-request-id": "same" });
    await call("DELETE", `/favorites/${id as string}`, undefined, { "x-request-id": "remove" });
    await listener.until(({ cause }) => cause === "remove");
    const events = listener.heard.filter(({ event }) => event === "favorites");
    expect(events.map(({ cause, data }) => [cause, (data.favorites as unknown[]).length])).toEqual([
      ["add", 1],
      ["same", 1],
      ["remove", 0],
    ]);
    await listener.close();
  });
});
