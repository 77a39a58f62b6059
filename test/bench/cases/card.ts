import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scanCard } from "../../../drivers/library/scan.ts";
import { inFolder } from "../load.ts";
import { median, type Row, rotate, row, timed } from "../measure.ts";

const reciters = 100;
const surahs = 114;

/** A full card listed, against the fastest program that asks for every file's size. */
export function measure(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const [card, empty] = [join(folder, "card"), join(folder, "empty")];
    await mkdir(empty);
    for (let n = 1; n <= reciters; n++) await fill(join(card, `Reciter ${n}`));
    await scanCard(card);
    const [ours, find, start] = await rotate(9, [
      () => timed(() => scanCard(card)),
      () => timed(() => sizesIn(card)),
      () => timed(() => sizesIn(empty)),
    ]);
    const times = { ours: median(ours!), baseline: median(find!) - median(start!) };
    const how = `${reciters * surahs} files in ${reciters} folders, warm cache; find -printf %s less its own start`;
    return [row("card listed", how, "ms", times, { atMost: 3 })];
  });
}

async function fill(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = Array.from({ length: surahs }, (_, n) => `${String(n + 1).padStart(3, "0")}.mp3`);
  await Promise.all(names.map((name) => writeFile(join(folder, name), "")));
}

async function sizesIn(folder: string): Promise<void> {
  const child = spawn("find", [folder, "-type", "f", "-printf", "%s\n"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "close");
}
