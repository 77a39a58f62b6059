import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { chartPages, chartsFolder } from "../../cli/docs-charts.ts";

it("the diagrams in docs/charts are those of the machines (npm run docs writes them)", async () => {
  const pages = await chartPages();
  expect((await readdir(chartsFolder)).sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages) expect(await readFile(join(chartsFolder, name), "utf8"), name).toBe(text);
});
