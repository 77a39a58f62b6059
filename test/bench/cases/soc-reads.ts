import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { atOnce } from "../at-once.ts";
import { inFolder, startBaseline } from "../load.ts";
import { alternate, type Row, row, timed } from "../measure.ts";
import { compareServers } from "../rival.ts";
import { alertDoc, type RunningPlatform, seed, startPlatform } from "../soc-service.ts";

const entries = 1_000;
const pageSize = 10;
const pages = 10_000;

/** A case with a long history, and a list far behind its first page. */
export function measure(): Promise<Row[]> {
  return inFolder(async (home) => {
    await seed(home, "alerts", pages * pageSize + pageSize, alertDoc);
    const platform = await startPlatform(home);
    try {
      return [...(await caseDetail(platform, home)), await farPage(platform)];
    } finally {
      await platform.stop();
    }
  });
}

async function caseDetail(platform: RunningPlatform, folder: string): Promise<Row[]> {
  const { api, headers } = platform;
  const body = JSON.stringify({ title: "Intrusion", severity: "high" });
  const { id } = (await json(`${api}/cases`, { method: "POST", headers, body })) as { id: string };
  const comment = JSON.stringify({ body: "Looked at the sign-ins of the last day; nothing new." });
  await atOnce(8, entries, () =>
    json(`${api}/cases/${id}/comments`, { method: "POST", headers, body: comment }),
  );
  const url = `${api}/cases/${id}`;
  const text = await (await fetch(url, { headers })).text();
  const file = join(folder, "case.json");
  await writeFile(file, text);
  const bare = await startBaseline("bare-koa.ts", ["0", file]);
  try {
    return await compareServers(
      "GET a case",
      `${entries} comments and timeline entries, ${Math.round(text.length / 1024)} KB; the same JSON from bare Koa`,
      32,
      [
        { server: platform, load: { url, headers } },
        { server: bare, load: { url: bare.origin } },
      ],
      { atLeast: 0.3 },
    );
  } finally {
    await bare.stop();
  }
}

async function farPage({ api, headers }: RunningPlatform): Promise<Row> {
  const list = `${api}/alerts?limit=${pageSize}`;
  const { next_cursor: cursor } = (await json(`${list}&skip=${(pages - 2) * pageSize}`, { headers })) as {
    next_cursor: string;
  };
  const far = `${list}&cursor=${encodeURIComponent(cursor)}`;
  const calls = 40;
  const msOf = (url: string) => async () => {
    const all = () => atOnce(1, calls, () => json(url, { headers }));
    return (await timed(all)) / calls;
  };
  await msOf(far)();
  await msOf(list)();
  const times = await alternate(9, msOf(far), msOf(list));
  const how = `${pages}th page of ${pageSize} by cursor, ${pages * pageSize} alerts, one call at a time; the first page`;
  return row("alert list, far page", how, "ms", times, { atMost: 1.2 });
}

async function json(url: string, init: RequestInit): Promise<unknown> {
  const reply = await fetch(url, init);
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}
