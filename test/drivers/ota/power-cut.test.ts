import { describe, expect, it } from "vitest";
import type { Disk } from "../../../drivers/ota/disk.ts";
import { chooseSlot, reportHealthy, treeHash } from "../../../drivers/ota/slots.ts";
import { Updater } from "../../../drivers/ota/updater.ts";
import { CrashDisk, PowerCut, type Survival } from "./crash-disk.ts";
import { archiveOf, board, imageOf, inPieces, keys, release } from "./images.ts";

const home = "/appliance";
const image = async (version: string) => imageOf(await archiveOf(release(version)), version);
const images = {
  "2.1.0": await image("2.1.0"),
  "2.2.0": await image("2.2.0"),
  "2.3.0": await image("2.3.0"),
};

async function install(disk: Disk, version: keyof typeof images): Promise<void> {
  const options = { home, board, version: "2.0.0", running: null, keys: async () => [keys.publicKey], disk };
  const updater = new Updater(options);
  await updater.open();
  await updater.receive(inPieces(images[version]), null, () => {});
  await updater.verify(() => {});
  await updater.write(() => {});
}

async function bootHealthy(disk: Disk): Promise<string> {
  const { release, directory } = await chooseSlot(home, disk);
  expect(await treeHash(directory!, disk)).toBe(release!.sha256);
  await reportHealthy(home, disk);
  return release!.version;
}

async function wholeUpdate(disk: Disk): Promise<void> {
  await install(disk, "2.3.0");
  await bootHealthy(disk);
}

/** Both slots hold a release, so that the update has an old one to clear away. */
async function usedDevice(): Promise<CrashDisk> {
  const disk = new CrashDisk();
  await disk.makeDirectory(home);
  for (const version of ["2.1.0", "2.2.0"] as const) {
    await install(disk, version);
    await bootHealthy(disk);
  }
  disk.settle();
  disk.calls = 0;
  return disk;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const trial = await usedDevice();
await wholeUpdate(trial);
const total = trial.calls;

describe("the power is cut at every call of an update", () => {
  it.each(["lost", "kept", "torn"] as Survival[])(
    "what was not synced is %s: the device boots the old version or the new one, and updates again",
    async (survival) => {
      expect(total).toBeGreaterThan(100);
      const seen = new Set<string>();
      for (let cut = 1; cut <= total; cut++) {
        const disk = await usedDevice();
        disk.cutAt = cut;
        await expect(wholeUpdate(disk)).rejects.toThrow(PowerCut);
        const after = disk.afterCut(survival, seeded(cut));
        const version = await bootHealthy(after);
        expect(["2.2.0", "2.3.0"]).toContain(version);
        seen.add(version);
        await wholeUpdate(after);
        expect((await chooseSlot(home, after)).release?.version).toBe("2.3.0");
      }
      expect([...seen].toSorted()).toEqual(["2.2.0", "2.3.0"]);
    },
  );

  it("an update that was answered is there after a cut that loses everything unsynced", async () => {
    const disk = await usedDevice();
    await install(disk, "2.3.0");
    expect(await bootHealthy(disk.afterCut("lost", Math.random))).toBe("2.3.0");
  });

  it("three cuts before the report of health lead back to the old version", async () => {
    let disk = await usedDevice();
    await install(disk, "2.3.0");
    for (let start = 0; start < 3; start++) {
      expect((await chooseSlot(home, disk)).release?.version).toBe("2.3.0");
      disk = disk.afterCut("lost", Math.random);
    }
    expect(await bootHealthy(disk)).toBe("2.2.0");
  });
});
