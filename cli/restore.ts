import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { DomainError } from "../machines/errors.ts";
import manifest from "../package.json" with { type: "json" };
import { homeOf, restorePlaces, type ServiceName, storeFile } from "./homes.ts";

/** Lays a backup ready. It is put in place at the next start, so that a running service is never pulled from under itself. */
export async function restore([folder]: string[], config: Config): Promise<number> {
  if (!folder) throw new DomainError("invalid_input", "Say from where: minaret restore FOLDER");
  const source = resolve(folder);
  await checkBackup(source);
  const { pending, complete } = restorePlaces(config);
  await rm(pending, { recursive: true, force: true });
  await mkdir(pending, { recursive: true, mode: 0o700 });
  await cp(source, pending, { recursive: true, preserveTimestamps: true });
  await writeFile(complete, "");
  console.log("The backup is laid ready, and is put in place at the next start.");
  return 0;
}

async function checkBackup(source: string): Promise<void> {
  const text = await readFile(join(source, "backup.json"), "utf8").catch(() => "{}");
  const { minaret } = JSON.parse(text) as { minaret?: string };
  if (!minaret) throw new DomainError("invalid_input", `${source} is not a backup of Minaret`);
  const [theirs, ours] = [minaret, manifest.version].map((version) => Number.parseInt(version, 10));
  if (theirs! > ours!) throw new DomainError("invalid_input", `The backup is of a newer Minaret, ${minaret}`);
}

/** Puts a backup that was laid ready in place, before anything is opened; what was there goes aside. */
export function finishRestore(config: Config): boolean {
  const { pending, complete, before } = restorePlaces(config);
  if (!existsSync(complete)) return false;
  for (const service of ["appliance", "soc"] as const) {
    if (existsSync(join(pending, service)))
      place(config, service, join(pending, service), join(before, service));
  }
  rmSync(pending, { recursive: true, force: true });
  return true;
}

/** Every step is a rename of one entry out of `pending`, so an interrupted restore goes on where it stopped. */
function place(config: Config, service: ServiceName, pending: string, before: string): void {
  const home = homeOf(config, service);
  mkdirs(home, before);
  for (const entry of readdirSync(pending)) {
    const replaced =
      entry === storeFile ? readdirSync(home).filter((name) => name.startsWith(storeFile)) : [entry];
    for (const name of replaced) {
      if (!existsSync(join(home, name))) continue;
      rmSync(join(before, name), { recursive: true, force: true });
      renameSync(join(home, name), join(before, name));
    }
    renameSync(join(pending, entry), join(home, entry));
  }
}

function mkdirs(...folders: string[]): void {
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
}
