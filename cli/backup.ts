import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { backupSqlite } from "../drivers/store/sqlite-backup.ts";
import { DomainError } from "../machines/errors.ts";
import manifest from "../package.json" with { type: "json" };
import { homeOf, leftOut, type ServiceName, storeFile } from "./homes.ts";

/** Copies everything but the card while the services run; the folder appears only when it is whole. */
export async function backup([folder]: string[], config: Config): Promise<number> {
  if (!folder) throw new DomainError("invalid_input", "Say where to: minaret backup FOLDER");
  const target = resolve(folder);
  if (existsSync(target)) throw new DomainError("conflict", `${target} exists already`);
  const part = `${target}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true, mode: 0o700 });
  const copied: ServiceName[] = [];
  for (const service of ["appliance", "soc"] as const) {
    if (await copyHome(homeOf(config, service), join(part, service))) copied.push(service);
  }
  if (copied.length === 0) throw new DomainError("not_found", `There is nothing to copy in ${config.home}`);
  const about = { minaret: manifest.version, made_at: new Date().toISOString(), services: copied };
  await writeFile(join(part, "backup.json"), `${JSON.stringify(about, null, 2)}\n`);
  await rename(part, target);
  console.log(`${target} holds ${copied.join(" and ")}.`);
  if (config.soc.store.startsWith("mongodb"))
    console.log("The platform's records are in MongoDB: back them up there.");
  return 0;
}

async function copyHome(home: string, to: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(home)) {
    if (leftOut.has(entry) || entry.startsWith(storeFile)) continue;
    await cp(join(home, entry), join(to, entry), { recursive: true, preserveTimestamps: true });
  }
  if (existsSync(join(home, storeFile))) await backupSqlite(join(home, storeFile), join(to, storeFile));
  return true;
}
