import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureDemoCard } from "../../../drivers/library/demo-card.ts";
import { readDurationMs } from "../../../drivers/library/read-tags.ts";
import { scanCard } from "../../../drivers/library/scan.ts";
import { makeCard } from "./make-card.ts";

describe("the demo card", () => {
  it("is written where there is none: two folders of real sound, and no draft left behind", async () => {
    const card = join(makeCard(), "card");
    expect(await ensureDemoCard(card)).toBe(true);
    const { reciters, ignored } = (await scanCard(card))!;
    expect(ignored).toBe(0);
    expect(reciters.map(({ tracks }) => tracks.length)).toEqual([5, 7]);
    for (const { path } of reciters.flatMap(({ tracks }) => tracks))
      expect(await readDurationMs(join(card, path))).toBeGreaterThanOrEqual(6_000);
    expect(existsSync(`${card}.draft`)).toBe(false);
  });

  it("leaves a card alone that is there, even an empty one", async () => {
    const card = makeCard();
    expect(await ensureDemoCard(card)).toBe(false);
    expect(await scanCard(card)).toEqual({ reciters: [], ignored: 0 });
  });
});
