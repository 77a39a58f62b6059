import type { Request } from "autocannon";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { analyst, openPlatformStore, Process } from "../../actors/soc/platform.ts";
import { atOnce } from "../at-once.ts";
import { inFolder, startBaseline } from "../load.ts";
import { alternate, type Row, row, timed } from "../measure.ts";
import { openRaw } from "../raw-sqlite.ts";
import { compareServers } from "../rival.ts";
import { startPlatform } from "../soc-service.ts";

const lanes = 32;
const alerts = 2_000;

/** Alerts raised: by the platform's own parts against plain inserts, and over HTTP against bare Koa. */
export async function measure(): Promise<Row[]> {
  return [await againstInserts(), ...(await againstKoa())];
}

const alertOf = (n: number) => ({
  // Every tenth has been seen before.
  title: `Suspicious sign-in ${n % 10 === 9 ? n - 9 : n}`,
  source: "identity",
  severity: "medium" as const,
  iocs: [`198.51.100.${n % 10 === 9 ? (n - 9) % 256 : n % 256}`],
});

function againstInserts(): Promise<Row> {
  return inFolder(async (folder) => {
    const { store, close } = await openPlatformStore();
    const keys = new MemoryKeys();
    await keys.open();
    const platform = new Process(store, keys);
    const raw = openRaw(folder);
    let raised = 0;
    const ours = async () => {
      const from = raised;
      raised += alerts;
      const all = () => atOnce(lanes, alerts, (n) => platform.alerts.create(alertOf(from + n), analyst));
      return (alerts * 1_000) / (await timed(all));
    };
    const theirs = () => 1_000 / raw.msPerWrite(alerts / 2, alertOf);
    await ours();
    theirs();
    const rates = await alternate(7, ours, theirs);
    await platform.stop();
    await close();
    raw.close();
    const how = `${lanes} at once, one in ten a duplicate, audit entry with each; raw node:sqlite FULL inserts with a unique index one at a time`;
    return row("alert created", how, "alerts/s", rates, { atLeast: 0.5 });
  });
}

function againstKoa(): Promise<Row[]> {
  return inFolder(async (home) => {
    const platform = await startPlatform(home);
    const bare = await startBaseline("bare-koa.ts");
    let raised = 0;
    const request: Request = {
      method: "POST",
      path: "/api/v1/alerts",
      headers: platform.headers,
      setupRequest: (request) => ({ ...request, body: JSON.stringify(alertOf(raised++)) }),
    };
    const body = JSON.stringify(alertOf(1));
    const headers = { "content-type": "application/json" };
    try {
      return await compareServers(
        "POST an alert",
        `${body.length} bytes of JSON, one in ten a duplicate; bare Koa POST`,
        32,
        [
          { server: platform, load: { url: platform.soc, requests: [request] } },
          { server: bare, load: { url: bare.origin, method: "POST", headers, body } },
        ],
        { atLeast: 0.5 },
      );
    } finally {
      await Promise.all([platform.stop(), bare.stop()]);
    }
  });
}
