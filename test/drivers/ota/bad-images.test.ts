import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { headerOf } from "../../../drivers/ota/archive.ts";
import { readPointer } from "../../../drivers/ota/slots.ts";
import { Updater } from "../../../drivers/ota/updater.ts";
import type { DomainError } from "../../../machines/errors.ts";
import { archiveOf, board, imageOf, inPieces, keys, release } from "./images.ts";

const good = await archiveOf(release("2.1.0"));
const stranger = generateKeyPairSync("ed25519").privateKey;
const end = Buffer.alloc(1024);

/** An archive entry that `pack` would never write: the header of a harmless one, altered. */
function entry(alter: (header: Buffer) => void, content = "x"): Buffer {
  const header = headerOf({ path: "harmless", size: content.length, executable: false })!;
  alter(header);
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}

const named = (path: string) => entry((header) => header.fill(0, 0, 100).write(path, 0));
const signed = (...entries: Buffer[]) => imageOf(Buffer.concat([...entries, end]), "2.1.0");
const flipped = (image: Buffer, at: number) => {
  const copy = Buffer.from(image);
  copy[at]! ^= 1;
  return copy;
};
const whole = imageOf(good, "2.1.0");

const atReceipt: [string, Buffer, RegExp][] = [
  ["an empty body", Buffer.alloc(0), /truncated/],
  ["something that is no image", Buffer.from("PK".repeat(500)), /not a firmware image/],
  ["a signature of a stranger", imageOf(good, "2.1.0", { key: stranger }), /signature/],
  ["a manifest that was changed after signing", flipped(whole, 30), /signature/],
  ["a manifest length of zero", Buffer.concat([whole.subarray(0, 8), Buffer.alloc(600)]), /length/],
  [
    "a manifest length beyond all bounds",
    Buffer.concat([whole.subarray(0, 8), Buffer.alloc(600, 255)]),
    /length/,
  ],
  ["a head cut short", whole.subarray(0, 100), /truncated/],
  ["another board", imageOf(good, "2.1.0", { manifest: { board: "toaster-9" } }), /another board/],
  ["an older version", imageOf(good, "1.9.9"), /older/],
  ["a pre-release of the running version", imageOf(good, "2.0.0-rc.1"), /older/],
  ["a version that is none", imageOf(good, "two"), /version is malformed/],
  ["more than a slot holds", imageOf(good, "2.1.0", { manifest: { size: 2_000_000 } }), /do not fit/],
  ["a size that is none", imageOf(good, "2.1.0", { manifest: { size: -1 } }), /size is malformed/],
  ["an unknown field", imageOf(good, "2.1.0", { manifest: { script: "x" } as object }), /does not know/],
  ["a truncated payload", whole.subarray(0, -1), /truncated/],
  ["trailing bytes", Buffer.concat([whole, Buffer.from("!")]), /follow its end/],
];

const atVerification: [string, Buffer, RegExp][] = [
  ["a payload with one bit changed", flipped(whole, whole.length - 2_000), /hash/],
  ["a path that climbs", signed(named("a/../../evil")), /path/],
  ["an absolute path", signed(named("/etc/passwd")), /path/],
  ["a path with a backslash", signed(named("a\\b")), /path/],
  ["a path with a control character", signed(named("a\nb")), /path/],
  ["an empty path", signed(named("")), /path/],
  ["a path with an empty part", signed(named("a//b")), /path/],
  ["a symbolic link", signed(entry((header) => header.write("2", 156))), /regular files/],
  ["a hard link", signed(entry((header) => header.write("1", 156))), /regular files/],
  ["a device node", signed(entry((header) => header.write("3", 156))), /regular files/],
  ["a set-user-id file", signed(entry((header) => header.write("0004755", 100))), /one form/],
  ["an owner of its own", signed(entry((header) => header.write("0001750", 108))), /one form/],
  ["the same file twice", signed(named("same"), named("same")), /twice/],
  ["files out of order", signed(named("b"), named("a")), /order/],
  ["a file inside a file", signed(named("a"), named("a/b")), /inside another/],
  ["an archive without an end", imageOf(named("a"), "2.1.0"), /truncated/],
  [
    "an archive that goes on after its end",
    imageOf(Buffer.concat([named("a"), end, named("b")]), "2.1.0"),
    /follow/,
  ],
  [
    "a file longer than the archive",
    signed(entry((header) => header.write("00000777777", 124))),
    /truncated/,
  ],
];

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "minaret-ota-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function openUpdater(): Promise<Updater> {
  const keysOf = async () => [keys.publicKey];
  const updater = new Updater({
    home,
    board,
    version: "2.0.0",
    running: null,
    keys: keysOf,
    slotBytes: 1_000_000,
  });
  await updater.open();
  return updater;
}

async function expectUntouched(updater: Updater): Promise<void> {
  await updater.close();
  expect(await readdir(join(home, "slots"))).toEqual([]);
  expect(await readPointer(home)).toEqual({ active: null, trial: null, rolledBack: null });
}

const refused = (message: RegExp) =>
  expect.objectContaining<Partial<DomainError>>({
    code: "invalid_input",
    field: "image",
    message: expect.stringMatching(message),
  });

describe("an image is refused and nothing is changed", () => {
  it.each(atReceipt)("%s, on receipt", async (_, image, message) => {
    const updater = await openUpdater();
    await expect(updater.receive(inPieces(image), null, () => {})).rejects.toEqual(refused(message));
    await expectUntouched(updater);
  });

  it.each(atVerification)("%s, before any slot is touched", async (_, image, message) => {
    const updater = await openUpdater();
    await updater.receive(inPieces(image), image.length, () => {});
    await expect(updater.verify(() => {})).rejects.toEqual(refused(message));
    await expectUntouched(updater);
  });

  it.each([
    ["fewer", -1, /truncated/],
    ["more", 1, /follow its end/],
  ])("%s bytes announced than the manifest says, before they are sent", async (_, off, message) => {
    const updater = await openUpdater();
    const sent = { pieces: 0 };
    const counted = async function* () {
      for await (const piece of inPieces(whole)) {
        sent.pieces++;
        yield piece;
      }
    };
    await expect(updater.receive(counted(), whole.length + off, () => {})).rejects.toEqual(refused(message));
    expect(sent.pieces).toBe(1);
    await expectUntouched(updater);
  });

  it("an endless one ends one piece after the signed size", async () => {
    const updater = await openUpdater();
    let sent = 0;
    const endless = async function* () {
      yield whole;
      for (;;) {
        sent++;
        yield Buffer.alloc(512);
      }
    };
    await expect(updater.receive(endless(), null, () => {})).rejects.toEqual(refused(/follow its end/));
    expect(sent).toBe(1);
    await expectUntouched(updater);
  });

  it("one without an installed key is not the sender's fault", async () => {
    const updater = new Updater({ home, board, version: "2.0.0", running: null, keys: async () => [] });
    await updater.open();
    await expect(updater.receive(inPieces(whole), null, () => {})).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});
