import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootSlot, rehearseBoot, runningSlot } from "../../../drivers/ota/boot.ts";
import { trustedKeys } from "../../../drivers/ota/container.ts";
import { makeImage, makeKey } from "../../../drivers/ota/make-image.ts";
import { chooseSlot, readPointer, slotPath } from "../../../drivers/ota/slots.ts";
import { Updater } from "../../../drivers/ota/updater.ts";

const board = "minaret-1";
let dir: string;
let home: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "minaret-release-"));
  home = join(dir, "home");
  await makeKey(join(dir, "private.pem"), join(dir, "public.pem"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function lay(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(dir, "root-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

async function image(version: string, files: Record<string, string>): Promise<string> {
  const out = join(dir, `${version}.image`);
  const root = await lay(files);
  await makeImage({ root, include: ["."], version, board, keyFile: join(dir, "private.pem"), out });
  return out;
}

async function install(file: string): Promise<void> {
  const updater = new Updater({
    home,
    board,
    version: "2.0.0",
    running: null,
    keys: () => trustedKeys(join(dir, "public.pem")),
  });
  await updater.open();
  await updater.receive(createReadStream(file), null, () => {});
  await updater.verify(() => {});
  await updater.write(() => {});
}

describe("an image of a release", () => {
  it("comes out of its slot as it went in, links and excluded parts left out", async () => {
    const deep = `${"very-long-directory-name/".repeat(5)}file.ts`;
    const root = await lay({ "main.ts": "1", [`lib/${deep}`]: "2", "lib/secret/key": "3", "أ/ب.ts": "4" });
    await symlink("/etc/passwd", join(root, "lib/link"));
    const out = join(dir, "image");
    const include = ["main.ts", "lib", "أ"];
    const key = join(dir, "private.pem");
    await makeImage({ root, include, exclude: ["lib/secret"], version: "2.1.0", board, keyFile: key, out });
    await install(out);
    const slot = slotPath(home, "a");
    expect(await readFile(join(slot, `lib/${deep}`), "utf8")).toBe("2");
    expect(await readFile(join(slot, "أ/ب.ts"), "utf8")).toBe("4");
    const found = execFileSync("find", [slot, "-not", "-type", "d"], { encoding: "utf8" });
    expect(found.trim().split("\n")).toHaveLength(3);
  });

  it("carries an archive that the system's tar lists", async () => {
    const file = await image("2.1.0", { "main.ts": "1", "lib/a.ts": "2" });
    const bytes = await readFile(file);
    const payload = bytes.subarray(bytes.indexOf("lib/a.ts"));
    expect(execFileSync("tar", ["-t"], { input: payload, encoding: "utf8" })).toBe("lib/a.ts\nmain.ts\n");
  });

  it("is made alike from alike files", async () => {
    const files = { "main.ts": "1", "lib/a.ts": "2" };
    const [first, second] = [await image("2.1.0", files), await image("2.1.1", files)];
    const payloadOf = async (file: string) => (await readFile(file)).subarray(-3_072);
    expect(await payloadOf(first)).toEqual(await payloadOf(second));
  });

  it("is not signed with another kind of key", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(dir, "private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    await expect(image("2.1.0", { "main.ts": "1" })).rejects.toThrow("Ed25519");
  });
});

/** A release that says it is up, or does something else. */
const bootJs = join(import.meta.dirname, "../../../drivers/ota/boot.ts");
const healthyMain = () =>
  `import { declareHealthy } from ${JSON.stringify(bootJs)};\nawait declareHealthy(${JSON.stringify(home)});\nprocess.disconnect?.();\nprocess.exitCode = 7;\n`;

describe("booting from a slot", () => {
  it("a healthy release is kept, and its exit code is the answer", async () => {
    await install(await image("2.1.0", { "main.ts": healthyMain(), "package.json": '{"type":"module"}' }));
    expect(await bootSlot({ home, args: [] })).toBe(7);
    expect(await readPointer(home)).toMatchObject({ active: { version: "2.1.0", slot: "a" }, trial: null });
    await install(await image("2.2.0", { "main.ts": healthyMain(), "package.json": '{"type":"module"}' }));
    expect((await readPointer(home)).trial?.slot).toBe("b");
  });

  it("a release that crashes is given up at once, and the installed one runs", async () => {
    await install(await image("2.1.0", { "main.ts": "process.exit(3);" }));
    const said: string[] = [];
    expect(await bootSlot({ home, args: [], notice: (sentence) => said.push(sentence) })).toBeNull();
    expect(await readPointer(home)).toMatchObject({
      active: null,
      trial: null,
      rolledBack: { version: "2.1.0" },
    });
    expect(said.at(-1)).toContain("code 3");
  });

  it("a release that hangs is ended at its limit, and the one before runs", async () => {
    await install(await image("2.1.0", { "main.ts": healthyMain(), "package.json": '{"type":"module"}' }));
    await bootSlot({ home, args: [] });
    await install(await image("2.2.0", { "main.ts": "setInterval(() => {}, 1000);" }));
    expect(await bootSlot({ home, args: [], healthLimitMs: 300 })).toBe(7);
    expect(await readPointer(home)).toMatchObject({
      active: { version: "2.1.0" },
      rolledBack: { version: "2.2.0", reason: "it did not report healthy in time" },
    });
  });

  it("a slot that was changed after its verification is not run", async () => {
    await install(await image("2.1.0", { "main.ts": "1" }));
    await writeFile(join(slotPath(home, "a"), "main.ts"), "2");
    expect((await chooseSlot(home)).directory).toBeNull();
    expect((await readPointer(home)).rolledBack?.reason).toContain("verified");
  });

  it("a rehearsed boot proves and reports the same way", async () => {
    await install(await image("2.1.0", { "main.ts": "1" }));
    expect((await rehearseBoot(home)).trial).toBe(true);
    expect(await readPointer(home)).toMatchObject({ active: { version: "2.1.0" }, trial: null });
  });

  it("a broken pointer means the installed release", async () => {
    await install(await image("2.1.0", { "main.ts": "1" }));
    await writeFile(join(home, "slots/pointer.json"), "{");
    expect((await chooseSlot(home)).directory).toBeNull();
  });

  it("a running trial cannot lose what it would go back to", async () => {
    await install(await image("2.1.0", { "main.ts": "1" }));
    await chooseSlot(home);
    const running = runningSlot(home, slotPath(home, "a"));
    expect(running).toBe("a");
    const updater = new Updater({ home, board, version: "2.1.0", running, keys: async () => [] });
    await expect(updater.receive((async function* () {})(), null, () => {})).rejects.toMatchObject({
      code: "conflict",
    });
    expect(runningSlot(home, dir)).toBeNull();
  });
});
