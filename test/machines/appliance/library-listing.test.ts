import { describe, expect, it } from "vitest";
import {
  findReciter,
  keepDurations,
  type Listing,
  reciterView,
  surahSlots,
  withDurations,
} from "../../../machines/appliance/library-listing.ts";
import { surahs } from "../../../machines/appliance/surahs.ts";

const decomposed = "Récité".normalize("NFD");
const track = (number: number, durationMs = 0) => ({
  number,
  path: `${decomposed}/${String(number).padStart(3, "0")}.mp3`,
  size: number,
  mtimeMs: 7,
  durationMs,
});
const reciter = {
  name: "Récité".normalize("NFC"),
  path: decomposed,
  tracks: [track(1, 900), track(5), track(114)],
};
const listing: Listing = { reciters: [reciter], ignored: 2 };

describe("the names of the surahs", () => {
  it("are 114, each different in each language", () => {
    expect(surahs).toHaveLength(114);
    for (const key of ["name", "name_ar", "name_en"] as const)
      expect(new Set(surahs.map((surah) => surah[key])).size).toBe(114);
    expect(surahs.every(({ name_ar }) => /^[\u0621-\u064a ]+$/.test(name_ar))).toBe(true);
    expect(surahs[0]).toEqual({ name: "Al-Fatihah", name_ar: "الفاتحة", name_en: "The Opening" });
    expect(surahs[113]).toEqual({ name: "An-Nas", name_ar: "الناس", name_en: "Mankind" });
  });
});

describe("a listing", () => {
  it("shows a reciter with count and size", () => {
    expect(reciterView(reciter)).toEqual({
      name: reciter.name,
      path: decomposed,
      surah_count: 3,
      total_size: 120,
    });
  });

  it("gives 114 slots, empty ones without path and length", () => {
    const slots = surahSlots(reciter);
    expect(slots).toHaveLength(114);
    expect(slots[0]).toMatchObject({
      number: 1,
      available: true,
      path: `${decomposed}/001.mp3`,
      duration: 900,
    });
    expect(slots[1]).toMatchObject({ number: 2, available: false, path: null, duration: 0 });
  });

  it("finds a reciter in either spelling", () => {
    expect(findReciter(listing, decomposed)).toBe(reciter);
    expect(findReciter(listing, "Nobody")).toBeNull();
  });

  it("keeps the lengths of files that did not change, and only those", () => {
    const read = withDurations(listing, new Map([[track(5).path, 500]]));
    const changed = { ...track(5), mtimeMs: 8 };
    const fresh: Listing = {
      reciters: [{ ...reciter, tracks: [track(1), changed, track(114)] }],
      ignored: 0,
    };
    const kept = keepDurations(read, fresh);
    expect(kept.reciters[0]?.tracks.map(({ durationMs }) => durationMs)).toEqual([900, 0, 0]);
  });
});
