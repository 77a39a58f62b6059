import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tones } from "../../../drivers/library/demo-card.ts";

const made: string[] = [];
process.once("exit", () => {
  for (const card of made) rmSync(card, { recursive: true, force: true });
});

/** A card in a temporary folder, with these files of that many bytes (or these contents). */
export function makeCard(files: Record<string, number | Buffer | string> = {}): string {
  const card = mkdtempSync(join(tmpdir(), "minaret-card-"));
  made.push(card);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(card, path)), { recursive: true });
    writeFileSync(join(card, path), typeof content === "number" ? Buffer.alloc(content) : content);
  }
  return card;
}

/** Real sound of so many seconds. */
export const sound = (seconds: number): Buffer => tones(220, 1, seconds);
