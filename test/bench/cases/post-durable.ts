import type { Request } from "autocannon";
import { inFolder, type Load, requestsPerSecond, startBaseline, startOurs } from "../load.ts";
import { median, type Row, rotate, row } from "../measure.ts";
import { openRaw } from "../raw-sqlite.ts";
import { compareServers, type Rival } from "../rival.ts";

const json = { "content-type": "application/json" };
const setting = JSON.stringify({ enabled: true });
const station = JSON.stringify({ name: "Radio", url: "http://127.0.0.1:9/live" });

/** Mutations with token, validation, actor and a synced write, against Koa that reads and answers the JSON. */
export async function measure(): Promise<Row[]> {
  const service = await startOurs("appliance");
  const bare = await startBaseline("bare-koa.ts");
  const headers = { ...json, authorization: `Bearer ${service.token}` };
  const url = `${service.appliance}/api/settings/auto-resume`;
  const echoed = (body: string): Omit<Load, "connections"> => ({
    url: bare.origin,
    method: "POST",
    headers: json,
    body,
  });
  const settings: [Rival, Rival] = [
    { server: service, load: { url, method: "POST", headers, body: setting } },
    { server: bare, load: echoed(setting) },
  ];
  const stations: [Rival, Rival] = [
    { server: service, load: { url: service.appliance, requests: addAndRemove(headers) } },
    { server: bare, load: echoed(station) },
  ];
  const about = (body: string) => `${body.length} bytes of JSON; bare Koa POST`;
  try {
    return [
      ...(await compareServers("POST a setting", about(setting), 32, settings, { atLeast: 0.5 })),
      await alone("POST a setting", settings),
      ...(await compareServers("POST and DELETE a station", about(station), 32, stations, { atLeast: 0.5 })),
      await alone("POST and DELETE a station", stations),
    ];
  } finally {
    await Promise.all([service.stop(), bare.stop()]);
  }
}

/** The list is bounded, so each connection takes away what it has added. */
function addAndRemove(headers: Record<string, string>): Request[] {
  const path = "/api/radio/stations";
  return [
    {
      method: "POST",
      path,
      headers,
      body: station,
      onResponse: (_status, body, context) => {
        (context as { id?: string }).id = (JSON.parse(body) as { id: string }).id;
      },
    },
    {
      method: "DELETE",
      setupRequest: (request, context) => ({
        ...request,
        path: `${path}/${(context as { id?: string }).id}`,
        headers: { authorization: headers.authorization! },
      }),
    },
  ];
}

/** One caller who waits for each reply: a thread and a sync lie between. */
function alone(name: string, [ours, bare]: [Rival, Rival]): Promise<Row> {
  const msOf = async ({ load }: Rival) => 1_000 / (await requestsPerSecond({ ...load, connections: 1 }));
  return inFolder(async (folder) => {
    const raw = openRaw(folder);
    const [mine, koa, write] = await rotate(5, [
      () => msOf(ours),
      () => msOf(bare),
      () => raw.msPerWrite(500, () => ({ station })),
    ]);
    raw.close();
    const times = { ours: median(mine!), baseline: median(koa!) + 4 * median(write!) };
    const how = "1 connection, keep-alive; bare Koa POST and four raw synchronous=FULL writes";
    return row(name, how, "ms", times, { atMost: 1 });
  });
}
