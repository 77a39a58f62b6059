import { setTimeout as sleep } from "node:timers/promises";
import { inFolder, residentMb } from "../load.ts";
import { type Row, row } from "../measure.ts";
import { caseDoc, seed, startPlatform } from "../soc-service.ts";

const cases = 100_000;

/** What a large store costs in memory: entities do not live there. */
export async function measure(): Promise<Row[]> {
  const full = await inFolder(async (home) => {
    await seed(home, "cases", cases, caseDoc);
    return residentAfterReading(home);
  });
  const empty = await inFolder(residentAfterReading);
  const how = `${cases} cases, after 50 list pages, idle; an empty store after the same`;
  return [row("resident with many cases", how, "MB", { ours: full, baseline: empty }, { atMost: 1.2 })];
}

async function residentAfterReading(home: string): Promise<number> {
  const { api, headers, process, stop } = await startPlatform(home);
  try {
    let cursor = "";
    for (let page = 0; page < 50; page++) {
      const reply = await fetch(`${api}/cases?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, {
        headers,
      });
      cursor = ((await reply.json()) as { next_cursor: string | null }).next_cursor ?? "";
    }
    await sleep(2_000);
    return residentMb(process.pid!);
  } finally {
    await stop();
  }
}
