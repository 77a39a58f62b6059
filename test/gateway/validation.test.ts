import { expect, test } from "vitest";
import { z } from "zod";
import { Target, Uid } from "../../gateway/appliance/schemas.ts";
import { parsed } from "../../gateway/validation.ts";
import { DomainError } from "../../machines/errors.ts";

const refusal = (schema: z.ZodType, value: unknown) => {
  try {
    parsed(schema, value, "body");
    return "taken";
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe("invalid_input");
    return error.message;
  }
};

const Volume = z.strictObject({ volume: z.int().min(0).max(100) });
const Mode = z.strictObject({
  mode: z.enum(["off", "on"]),
  ab: z.strictObject({ from: z.int() }).optional(),
});
const Source = z.union([z.strictObject({ path: z.string() }), z.strictObject({ url: z.string().min(3) })]);

test.each([
  [Volume, { volume: 50 }, "taken"],
  [Volume, {}, "volume: is required"],
  [Volume, { volume: "loud" }, "volume: must be a number"],
  [Volume, { volume: 1.5 }, "volume: must be a whole number"],
  [Volume, { volume: 101 }, "volume: must be at most 100"],
  [Volume, { volume: -1 }, "volume: must be at least 0"],
  [Volume, { volume: null }, "volume: must be a number"],
  [Volume, { volume: 5, extra: 1 }, "extra: is not a known field"],
  [Volume, { vol: 5 }, "vol: is not a known field"],
  [Volume, [], "body: must be an object"],
  [Mode, { mode: "loud" }, "mode: must be one of off, on"],
  [Mode, { mode: "on", ab: {} }, "ab.from: is required"],
  [Mode, { mode: "on", ab: { from: 1, to: 2 } }, "ab.to: is not a known field"],
  [Source, { url: "a" }, "url: must be at least 3 characters long"],
  [Source, { path: 3 }, "path: must be a string"],
  [Source, { file: "x" }, "file: is not a known field"],
  [Target, { type: "album" }, "type: must be one of surah, file, stream, favorite, station, resume, stop"],
  [Target, { type: "surah", reciter: "A", surah: 115 }, "surah: must be at most 114"],
  [Target, { type: "file", path: "a/../../b" }, "path: must stay inside the card"],
  [z.strictObject({ target: Target }), { target: { type: "stop", x: 1 } }, "target.x: is not a known field"],
])("%# what is refused is named in one sentence: %j", (schema, value, sentence) => {
  expect(refusal(schema, value)).toBe(sentence);
});

test("a card's UID is read with any separators and shown as upper-case hex", () => {
  expect(["04:a2:3b:1c", "04-A2-3B-1C-5D-6E-7F", "04 a23b1c"].map((uid) => Uid.parse(uid))).toEqual([
    "04A23B1C",
    "04A23B1C5D6E7F",
    "04A23B1C",
  ]);
  for (const wrong of ["", "04A23B", "04A23B1C5D", "zz:zz:zz:zz"])
    expect(Uid.safeParse(wrong).success).toBe(false);
});
