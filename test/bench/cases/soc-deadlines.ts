import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { inFolder } from "../load.ts";
import { percentile, type Row, row } from "../measure.ts";
import { jsonHttp } from "../peers/json-http.ts";
import { approvalDoc, type RunningPlatform, seed, startPlatform } from "../soc-service.ts";

const approvals = 10_000;
const spreadMs = 20_000;
const everyMs = 10;

/** A flood of deadlines: how late the last one is told, and what others feel of it. */
export function measure(): Promise<Row[]> {
  return inFolder(async (home) => {
    const first = Date.now() + 25_000;
    await seed(home, "approvals", approvals, (n) =>
      approvalDoc(n, first + Math.floor((n * spreadMs) / approvals)),
    );
    const platform = await startPlatform(home);
    try {
      const delays = lateness(platform);
      const idleMs = await statusTimes(platform, 5_000);
      await sleep(Math.max(0, first - Date.now()));
      const busyMs = await statusTimes(platform, spreadMs);
      const late = await delays;
      const p99 = { ours: percentile(busyMs, 99), baseline: percentile(idleMs, 99) };
      const worst = { ours: Math.max(...late), baseline: 2_000 };
      const flood = `${late.length} of ${approvals} approvals due within ${spreadMs / 1_000} s`;
      return [
        row("worst delay of a deadline", `${flood}, until the state stream tells; 2 s`, "ms", worst, {
          atMost: 1,
        }),
        row("GET mode p99 meanwhile", `a call each ${everyMs} ms; the same idle`, "ms", p99, { atMost: 3 }),
      ];
    } finally {
      await platform.stop();
    }
  });
}

/** Milliseconds between each deadline and its event; all of them, or those that came in time. */
function lateness({ soc, headers }: RunningPlatform): Promise<number[]> {
  const late: number[] = [];
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const { authorization } = headers;
  const stream = new WebSocket(`${soc.replace("http", "ws")}/ws?topics=approvals`, {
    headers: { authorization },
  });
  const giveUp = setTimeout(() => resolve(late), 60_000 + spreadMs);
  stream.on("message", (message) => {
    const { event, data } = JSON.parse(String(message)) as {
      event: string;
      data: { status?: string; expires_at: string };
    };
    if (event !== "approval" || data.status !== "timeout") return;
    if (late.push(Date.now() - Date.parse(data.expires_at)) === approvals) resolve(late);
  });
  return promise.finally(() => {
    clearTimeout(giveUp);
    stream.terminate();
  });
}

async function statusTimes({ soc, headers }: RunningPlatform, forMs: number): Promise<number[]> {
  const { call, close } = jsonHttp(soc, { authorization: headers.authorization! });
  const times: number[] = [];
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const began = performance.now();
    await call("GET", "/api/v1/system/mode");
    times.push(performance.now() - began);
    await sleep(everyMs);
  }
  close();
  return times;
}
