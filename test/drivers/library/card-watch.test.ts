import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CardWatch } from "../../../drivers/library/card-watch.ts";
import { makeCard } from "./make-card.ts";

let watch: CardWatch | undefined;
let changes = 0;
let tell = () => {};

async function follow(card: string): Promise<void> {
  changes = 0;
  watch = new CardWatch(
    card,
    () => {
      changes++;
      tell();
    },
    { settleMs: 20, longestMs: 100, pollMs: 20 },
  );
  await watch.open();
}

/** The next report, by event. */
const change = () =>
  new Promise<void>((done) => {
    tell = done;
  });

describe("a watched card", () => {
  afterEach(async () => {
    await watch?.close();
    await watch?.close();
  });

  it("tells of files that come, change and go, also in folders that came later", async () => {
    const card = makeCard({ "R/001.mp3": 1 });
    await follow(card);
    let heard = change();
    writeFileSync(join(card, "R/002.mp3"), "x");
    await heard;
    heard = change();
    mkdirSync(join(card, "S"));
    await heard;
    heard = change();
    writeFileSync(join(card, "S/001.mp3"), "x");
    await heard;
    heard = change();
    writeFileSync(join(card, "S/001.mp3"), "longer");
    await heard;
    heard = change();
    rmSync(join(card, "R/001.mp3"));
    await heard;
  });

  it("a whole copy is one change", async () => {
    const card = makeCard({ "R/001.mp3": 1 });
    await follow(card);
    const heard = change();
    for (let n = 2; n < 50; n++) writeFileSync(join(card, `R/${n}.mp3`), "x");
    await heard;
    expect(changes).toBe(1);
  });

  it("tells that the card was taken out and put back", async () => {
    const card = makeCard({ "R/001.mp3": 1 });
    await follow(card);
    let heard = change();
    renameSync(card, `${card}.away`);
    await heard;
    heard = change();
    renameSync(`${card}.away`, card);
    await heard;
    heard = change();
    writeFileSync(join(card, "R/002.mp3"), "x");
    await heard;
  });

  it("waits for a card that is not there yet", async () => {
    const card = join(makeCard(), "mount");
    await follow(card);
    const heard = change();
    mkdirSync(card);
    await heard;
  });
});
