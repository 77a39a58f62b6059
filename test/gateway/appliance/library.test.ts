import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCard, sound } from "../../drivers/library/make-card.ts";
import { Listening } from "../listener.ts";
import type { TestAppliance } from "./appliance.ts";
import { caller, startWithCard } from "./library-appliance.ts";

const decomposed = "Récité".normalize("NFD");
const composed = decomposed.normalize("NFC");
let card: string;
let appliance: TestAppliance;
const call = caller(() => appliance);

beforeAll(async () => {
  const files = { "R/001 x.wav": sound(1), "R/114.mp3": 5, "R/001001.mp3": 1, [`${decomposed}/002.mp3`]: 7 };
  card = makeCard(files);
  appliance = await startWithCard(card);
});
afterAll(() => appliance.stop());

describe("the library", () => {
  test("lists reciters, and counts what it ignored", async () => {
    expect(await call("GET", "/library/reciters")).toEqual({
      status: 200,
      body: {
        reciters: [
          { name: "R", path: "R", surah_count: 2, total_size: sound(1).length + 5 },
          { name: composed, path: decomposed, surah_count: 1, total_size: 7 },
        ],
        ignored: 1,
        present: true,
      },
    });
  });

  test.each([composed, decomposed])("gives the 114 surahs of %s in either spelling", async (reciter) => {
    const { status, body } = await call("GET", `/library/surahs?reciter=${encodeURIComponent(reciter)}`);
    expect(status).toBe(200);
    expect(body.reciter).toBe(composed);
    expect(body.surahs).toHaveLength(114);
    expect((body.surahs as object[])[1]).toEqual({
      number: 2,
      name: "Al-Baqarah",
      name_ar: "البقرة",
      name_en: "The Cow",
      available: true,
      path: `${decomposed}/002.mp3`,
      duration: 0,
    });
    expect((body.surahs as object[])[2]).toMatchObject({ available: false, path: null, duration: 0 });
  });

  test.each([
    ["", 400],
    ["?reciter=", 400],
    ["?reciter=%00", 400],
    ["?reciter=a&reciter=b", 400],
    [`?reciter=${"x".repeat(201)}`, 400],
    ["?reciter=R&colour=red", 400],
    ["?reciter=Nobody", 404],
    ["?reciter=../R", 404],
  ])("surahs%s is refused", async (query, status) => {
    const reply = await call("GET", `/library/surahs${query}`);
    expect(reply.status).toBe(status);
    expect(reply.body.error).toMatch(/reciter|colour/);
  });

  test("a change of the card reaches every client", async () => {
    const listener = new Listening(`${appliance.url}/ws`);
    await listener.hello();
    writeFileSync(join(card, "R/003.mp3"), "x");
    const isNew = (data: Record<string, unknown>) =>
      (data.reciters as { surah_count: number }[])[0]?.surah_count === 3;
    const { data } = await listener.until((heard) => heard.event === "library" && isNew(heard.data));
    expect(data).toEqual((await call("GET", "/library/reciters")).body);
    await listener.close();
  });
});
