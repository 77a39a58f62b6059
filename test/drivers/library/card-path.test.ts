import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolveOnCard } from "../../../drivers/library/card-path.ts";
import { makeCard } from "./make-card.ts";

const decomposed = "Récité".normalize("NFD");
const outside = makeCard({ "secret.mp3": 1 });
const card = makeCard({ "R/001.mp3": 1, [`${decomposed}/001.mp3`]: 1 });
symlinkSync("001.mp3", join(card, "R/link.mp3"));
symlinkSync(join(outside, "secret.mp3"), join(card, "R/out.mp3"));
symlinkSync(outside, join(card, "Away"));
symlinkSync("loop.mp3", join(card, "R/loop.mp3"));

describe("a path of the API", () => {
  it.each([
    ["R/001.mp3", "R/001.mp3"],
    ["/R/001.mp3", "R/001.mp3"],
    ["//R/./001.mp3", "R/001.mp3"],
    ["R/link.mp3", "R/link.mp3"],
    [`${decomposed}/001.mp3`, `${decomposed}/001.mp3`],
    [`${decomposed.normalize("NFC")}/001.mp3`, `${decomposed}/001.mp3`],
  ])("%s is found on the card", async (path, found) => {
    const file = await resolveOnCard(card, path);
    expect(file.path).toBe(found);
    expect(file.absolute.startsWith(card)).toBe(true);
  });

  it.each([
    "",
    "/",
    ".",
    "..",
    "../x.mp3",
    "R/../../x.mp3",
    "R/../R/001.mp3",
    "R/001.mp3\u0000.txt",
    "R/\n001.mp3",
    "R/out.mp3",
    "Away/secret.mp3",
    "a".repeat(1_025),
    `R/${"é".repeat(200)}.mp3`,
    "R/\ud800.mp3",
  ])("%j is refused, naming the field", async (path) => {
    await expect(resolveOnCard(card, path)).rejects.toMatchObject({ code: "invalid_input", field: "path" });
  });

  it.each(["R/002.mp3", "R", "R/001.mp3/x", "none/001.mp3", "R/loop.mp3", "\\..\\x"])(
    "%s is not there",
    async (path) => {
      await expect(resolveOnCard(card, path)).rejects.toMatchObject({ code: "not_found", field: "path" });
    },
  );

  it("without a card nothing is there", async () => {
    await expect(resolveOnCard(join(card, "none"), "R/001.mp3")).rejects.toMatchObject({ code: "not_found" });
  });
});
