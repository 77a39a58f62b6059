import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scanCard } from "../../../drivers/library/scan.ts";
import { makeCard } from "./make-card.ts";

const paths = async (card: string) =>
  (await scanCard(card))!.reciters.flatMap(({ tracks }) => tracks.map(({ path }) => path));

describe("a scan of the card", () => {
  it("finds surahs with every separator and format", async () => {
    const names = [
      "001.mp3",
      "002 Al-Baqarah.m4a",
      "003.x.ogg",
      "004_x.opus",
      "005-x.flac",
      "114 - An-Nas.WAV",
    ];
    const card = makeCard(Object.fromEntries(names.map((name) => [`R/${name}`, 5])));
    expect(await paths(card)).toEqual(names.map((name) => `R/${name}`));
  });

  it("gives each reciter with count and size, in the order of their names", async () => {
    const card = makeCard({ "B/001.mp3": 10, "B/002.mp3": 20, "A/114.mp3": 7, "A/notes.txt": 99 });
    const listing = (await scanCard(card))!;
    expect(listing.ignored).toBe(0);
    expect(listing.reciters).toMatchObject([
      { name: "A", path: "A", tracks: [{ number: 114, size: 7, durationMs: 0 }] },
      {
        name: "B",
        path: "B",
        tracks: [
          { number: 1, size: 10 },
          { number: 2, size: 20 },
        ],
      },
    ]);
  });

  it("takes the lossless one of two formats, whatever their names", async () => {
    const card = makeCard({
      "R/001.mp3": 1,
      "R/001 x.flac": 2,
      "R/002.wav": 1,
      "R/002.ogg": 1,
      "R/003.opus": 1,
      "R/003.mp3": 1,
    });
    expect(await paths(card)).toEqual(["R/001 x.flac", "R/002.wav", "R/003.mp3"]);
    expect((await scanCard(card))!.ignored).toBe(0);
  });

  it("counts what it does not list: ayah files, hidden ones, wrong numbers", async () => {
    const wrong = [
      "001001.mp3",
      "114006.mp3",
      ".001.mp3",
      "000.mp3",
      "115.mp3",
      "1.mp3",
      "0010.mp3",
      "intro.mp3",
      "001x.mp3",
    ];
    const card = makeCard({ "R/001.mp3": 1, ...Object.fromEntries(wrong.map((name) => [`R/${name}`, 1])) });
    expect(await paths(card)).toEqual(["R/001.mp3"]);
    expect((await scanCard(card))!.ignored).toBe(wrong.length);
  });

  it("follows links inside the card and counts those that leave it", async () => {
    const outside = makeCard({ "X/001.mp3": 3 });
    const card = makeCard({ "R/001.mp3": 3 });
    symlinkSync("001.mp3", join(card, "R/002.mp3"));
    symlinkSync(join(outside, "X/001.mp3"), join(card, "R/003.mp3"));
    symlinkSync("nowhere.mp3", join(card, "R/004.mp3"));
    symlinkSync(join(outside, "X"), join(card, "Away"));
    symlinkSync("R", join(card, "Twin"));
    const listing = (await scanCard(card))!;
    expect(listing.reciters.map(({ name, tracks }) => [name, tracks.length])).toEqual([
      ["R", 2],
      ["Twin", 2],
    ]);
    // Two of R, the same two again under its other name, and the folder that leads away.
    expect(listing.ignored).toBe(5);
  });

  it("shows decomposed names composed, and keeps the card's own spelling in paths", async () => {
    const decomposed = "Récité".normalize("NFD");
    const card = makeCard({ [`${decomposed}/001.mp3`]: 1 });
    expect((await scanCard(card))!.reciters).toMatchObject([
      { name: "Récité".normalize("NFC"), path: decomposed },
    ]);
  });

  it("leaves out folders without a surah, files beside them, and directories that look like files", async () => {
    const card = makeCard({ "adhan.mp3": 1, "Empty/readme.txt": 1, ".Trash/001.mp3": 1, "R/001.mp3": 1 });
    mkdirSync(join(card, "R/002.mp3"));
    expect(await paths(card)).toEqual(["R/001.mp3"]);
    expect((await scanCard(card))!.ignored).toBe(0);
  });

  it("is null without a card, and empty on an empty one", async () => {
    expect(await scanCard(join(makeCard(), "none"))).toBeNull();
    expect(await scanCard(makeCard())).toEqual({ reciters: [], ignored: 0 });
  });

  it("lists 100 reciters with 114 files each without holding up the loop", async () => {
    const files: Record<string, number> = {};
    for (let r = 0; r < 100; r++)
      for (let n = 1; n <= 114; n++) files[`Reciter ${r}/${String(n).padStart(3, "0")}.mp3`] = 0;
    const card = makeCard(files);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const listing = (await scanCard(card))!;
    clearInterval(timer);
    expect(listing.reciters).toHaveLength(100);
    expect(listing.reciters.every(({ tracks }) => tracks.length === 114)).toBe(true);
    expect(turns).toBeGreaterThan(0);
  });
});
