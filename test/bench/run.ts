/** `npm run bench [word…]`: all measurements, or those whose file name holds one of the words. */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { type Row, skipped } from "./measure.ts";

const words = process.argv.slice(2);
const files = globSync("cases/*.ts", { cwd: import.meta.dirname })
  .sort()
  .filter((file) => words.length === 0 || words.some((word) => basename(file).includes(word)));

const rows: Row[] = [];
const began = performance.now();
for (const file of files) {
  const name = basename(file, ".ts");
  const start = performance.now();
  process.stderr.write(`measuring ${name} … `);
  const { measure } = (await import(join(import.meta.dirname, file))) as { measure: () => Promise<Row[]> };
  // A table with a hole says more than none.
  rows.push(...(await measure().catch((error: unknown) => [skipped(name, firstLineOf(error))])));
  process.stderr.write(`${seconds(start)} s\n`);
}

console.log("| measurement | how | Minaret | baseline | unit | ratio | goal | |");
console.log("|---|---|---|---|---|---|---|---|");
for (const { name, how, ours, baseline, unit, ratio, goal, met } of rows) {
  const verdict = met === null ? "" : met ? "met" : "missed";
  const cells = [name, how, figure(ours), figure(baseline), unit, figure(ratio), goal, verdict];
  console.log(`| ${cells.join(" | ")} |`);
}
const { cpus, loadavg } = await import("node:os");
const load = loadavg()[0]?.toFixed(1);
console.log(
  `\n${seconds(began)} s on ${cpus().length} cores, load ${load} at the end, Node ${process.version}`,
);

function figure(value: number): string {
  if (Number.isNaN(value)) return "";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}

function firstLineOf(error: unknown): string {
  if (process.env.DEBUG) console.error(error);
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}
