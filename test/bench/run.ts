/** `npm run bench [word…]`: all measurements, or those whose file name holds one of the words. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import type { Row } from "./measure.ts";

const words = process.argv.slice(2);
const files = globSync("cases/*.ts", { cwd: import.meta.dirname })
  .sort()
  .filter((file) => words.length === 0 || words.some((word) => basename(file).includes(word)));

const rows: Row[] = [];
for (const file of files) {
  console.error(`measuring ${basename(file, ".ts")} …`);
  const { measure } = (await import(join(import.meta.dirname, file))) as { measure: () => Promise<Row[]> };
  rows.push(...(await measure()));
}

const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
console.log("| measurement | how | Minaret | baseline | unit | ratio | goal | |");
console.log("|---|---|---|---|---|---|---|---|");
for (const { name, how, ours, baseline, unit, ratio, goal, met } of rows) {
  const verdict = met === null ? "" : met ? "met" : "missed";
  const cells = [name, how, figure(ours), figure(baseline), unit, ratio.toFixed(2), goal, verdict];
  console.log(`| ${cells.join(" | ")} |`);
}
