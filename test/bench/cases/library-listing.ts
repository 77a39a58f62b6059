/** A card of 100 reciters with 114 files each, listed with sizes, against `find`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scanCard } from "../../../drivers/library/scan.ts";
import { alternate, type Row, row } from "../measure.ts";

export async function measure(): Promise<Row[]> {
  const card = mkdtempSync(join(tmpdir(), "minaret-bench-card-"));
  for (let reciter = 0; reciter < 100; reciter++) {
    const folder = join(card, `Reciter ${reciter}`);
    mkdirSync(folder);
    for (let number = 1; number <= 114; number++)
      writeFileSync(join(folder, `${String(number).padStart(3, "0")}.mp3`), Buffer.alloc(number));
  }
  const timed = async (work: () => unknown) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };
  try {
    await scanCard(card);
    const sides = await alternate(
      15,
      () => timed(() => scanCard(card)),
      () => timed(() => execFileSync("find", [card, "-printf", "%s\\n"], { maxBuffer: 1 << 24 })),
    );
    return [
      row("listing of a card", "11,400 files, warm, against `find -printf %s`", "ms", sides, { atMost: 3 }),
    ];
  } finally {
    rmSync(card, { recursive: true });
  }
}
