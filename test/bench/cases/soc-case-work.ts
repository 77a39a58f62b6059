/** The platform's case work: raising alerts, paging through them, and the detail of a long case. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Koa from "koa";
import { analyst } from "../../actors/soc/platform.ts";
import { startCaseService } from "../../gateway/soc/case-service.ts";
import { requestsPerSecond } from "../load.ts";
import { alternate, median, type Row, row } from "../measure.ts";

const lanes = 32;
const perRound = 2_000;
const stored = 500_000;
const pageSize = 50;
const authorization = { authorization: "Bearer manager" };

type Soc = Awaited<ReturnType<typeof startCaseService>>;

export async function measure(): Promise<Row[]> {
  const soc = await startCaseService({ checkReplies: false });
  soc.soc.desk.audit.start();
  try {
    return [await creation(soc), await detail(soc), await pages(soc)];
  } finally {
    await soc.soc.desk.audit.stop();
    await soc.stop();
  }
}

/** Every tenth alert is a duplicate; the baseline's rows are of the same size, with a unique index. */
async function creation(soc: Soc): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "minaret-bench-raw-"));
  const raw = new DatabaseSync(join(folder, "raw.db"));
  raw.exec("pragma journal_mode=wal; pragma synchronous=full");
  raw.exec("create table alerts (id text primary key, hash text unique, body text)");
  const insert = raw.prepare("insert into alerts values (?, ?, ?) on conflict do nothing");
  const { alert } = await soc.soc.alerts.create(draft(-1), analyst);
  const body = JSON.stringify(alert);
  let made = 0;
  let written = 0;
  const ours = async () => {
    const from = performance.now();
    const end = made + perRound;
    const lane = async () => {
      while (made < end) await soc.soc.alerts.create(draft(made++), analyst);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return perRound / ((performance.now() - from) / 1000);
  };
  const baseline = async () => {
    const from = performance.now();
    for (let n = 0; n < perRound; n++) {
      const key = String(written - (written % 10 === 9 ? 1 : 0));
      written += 1;
      insert.run(`alert-${key}`, key, body);
    }
    return perRound / ((performance.now() - from) / 1000);
  };
  try {
    const sides = await alternate(7, ours, baseline);
    const how = `${lanes} at once, 1 in 10 a duplicate, against raw inserts (FULL, unique index) one at a time`;
    return row("alert creation", how, "per s", sides, { atLeast: 0.5 });
  } finally {
    raw.close();
    rmSync(folder, { recursive: true });
  }
}

function draft(n: number) {
  const title = `Beacon ${n % 10 === 9 ? n - 1 : n}`;
  return { title, source: "bench", severity: "high" as const, iocs: ["10.0.0.1"] };
}

async function detail(soc: Soc): Promise<Row> {
  const { id } = await soc.soc.cases.create({ title: "Long", severity: "low" }, analyst);
  for (let n = 1; n < 1_000; n++) {
    const event = {
      type: "REPORT",
      action: `step ${n} of a long investigation`,
      by: "analyst",
      at: now(),
    } as const;
    await soc.soc.cases.tell(id, event, analyst);
  }
  const value = JSON.parse(String(await soc.soc.cases.text(id))) as object;
  const app = new Koa();
  app.use((context) => {
    context.body = value;
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const load = { connections: lanes, seconds: 3 };
  try {
    const sides = await alternate(
      5,
      () => requestsPerSecond({ ...load, url: `${soc.url}/api/v1/cases/${id}`, headers: authorization }),
      () => requestsPerSecond({ ...load, url }),
    );
    const how = `1,000 timeline entries, ${lanes} connections, against the same JSON from a bare Koa route`;
    return row("case detail", how, "per s", sides, { atLeast: 0.3 });
  } finally {
    server.close();
  }
}

async function pages(soc: Soc): Promise<Row> {
  const { version: _, ...alert } = (await soc.soc.alerts.create(draft(-1), analyst)).alert;
  for (let from = 0; from < stored; from += 5_000) {
    const docs = Array.from({ length: 5_000 }, (_, n) => {
      const at = new Date(1_700_000_000_000 + (from + n) * 1000).toISOString();
      return { ...alert, id: `alert-bulk-${from + n}`, hash: `bulk-${from + n}`, created_at: at };
    });
    await soc.store.insertMany("alerts", docs);
  }
  let cursor: string | undefined;
  for (let page = 1; page < 10_000; page++) {
    const sort = [{ field: "created_at", direction: "desc" }] as const;
    const query = { limit: pageSize, fields: ["id"], sort, ...(cursor === undefined ? {} : { cursor }) };
    cursor = (await soc.store.find("alerts", query)).nextCursor ?? undefined;
  }
  const path = `/alerts?limit=${pageSize}`;
  const timed = async (address: string) => {
    const times: number[] = [];
    for (let n = 0; n < 20; n++) {
      const from = performance.now();
      await soc.call("GET", address);
      times.push(performance.now() - from);
    }
    return median(times);
  };
  const sides = await alternate(
    7,
    () => timed(`${path}&cursor=${encodeURIComponent(cursor ?? "")}`),
    () => timed(path),
  );
  const how = `page 10,000 by cursor against page 1, ${stored} alerts, ${pageSize} a page, one connection`;
  return row("alert list", how, "ms", sides, { atMost: 1.2 });
}

function now(): string {
  return new Date().toISOString();
}
