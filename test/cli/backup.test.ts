import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { backup } from "../../cli/backup.ts";
import { finishRestore, restore } from "../../cli/restore.ts";
import { readConfig } from "../../config.ts";
import { openStore } from "../../drivers/store/open-store.ts";
import { writeSecret } from "../../drivers/token/token-file.ts";

vi.spyOn(console, "log").mockImplementation(() => {});

const fresh = () => {
  const home = mkdtempSync(join(tmpdir(), "minaret-backup-"));
  return { home, config: readConfig({ MINARET_HOME: home }), folder: join(home, "..", `${home}-copy`) };
};
const collections = [{ name: "stations" }];

it("copies a database that is being written to, and brings the same records back", async () => {
  const { config, folder } = fresh();
  mkdirSync(config.appliance.home, { recursive: true });
  const file = join(config.appliance.home, "store.db");
  const running = await openStore(file, collections);
  await running.insert("stations", { id: "a", name: "kept" });
  writeSecret(join(config.appliance.home, "token"), "secret");
  await backup([folder], config);
  await running.insert("stations", { id: "b", name: "after the backup" });
  await restore([folder], config);
  expect(await running.get("stations", "b")).toMatchObject({ name: "after the backup" });
  await running.close();
  expect(finishRestore(config)).toBe(true);
  const restored = await openStore(file, collections);
  expect(await restored.get("stations", "a")).toMatchObject({ name: "kept" });
  expect(await restored.get("stations", "b")).toBeNull();
  await restored.close();
  expect(statSync(join(config.appliance.home, "token")).mode & 0o777).toBe(0o600);
  expect(finishRestore(config)).toBe(false);
});

it("leaves the card alone, and keeps what it replaced", async () => {
  const { config, folder } = fresh();
  const at = (name: string) => join(config.appliance.home, name);
  mkdirSync(at("card"), { recursive: true });
  writeFileSync(at("card/001.mp3"), "recitation");
  writeFileSync(at("token"), "old");
  await backup([folder], config);
  expect(existsSync(join(folder, "appliance", "card"))).toBe(false);
  writeFileSync(at("token"), "new");
  await restore([folder], config);
  finishRestore(config);
  expect(readFileSync(at("token"), "utf8")).toBe("old");
  expect(readFileSync(join(config.home, "before-restore/appliance/token"), "utf8")).toBe("new");
  expect(readFileSync(at("card/001.mp3"), "utf8")).toBe("recitation");
});

it("refuses a folder that is no backup, one of a newer release, and a target that exists", async () => {
  const { home, config } = fresh();
  await expect(restore([home], config)).rejects.toThrow("not a backup");
  writeFileSync(join(home, "backup.json"), '{"minaret":"99.0.0"}');
  await expect(restore([home], config)).rejects.toThrow("newer");
  await expect(backup([home], config)).rejects.toThrow("exists");
});
