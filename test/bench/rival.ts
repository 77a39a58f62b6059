import { type Baseline, type Load, requestsOf } from "./load.ts";
import { type Goal, median, type Row, rotate, row } from "./measure.ts";

/** A server and what it is asked. */
export interface Rival {
  server: Pick<Baseline, "process">;
  load: Omit<Load, "connections">;
}

/** Two servers under the same load: requests a second, and the processor time that each request took. */
export async function compareServers(
  name: string,
  about: string,
  connections: number,
  [ours, baseline]: readonly [Rival, Rival],
  goal: Goal,
): Promise<Row[]> {
  const sides = [ours, baseline].map(({ server, load }) => {
    const used: number[] = [];
    const round = async () => {
      const { perSecond, processorUs } = await requestsOf(server, { ...load, connections });
      used.push(processorUs);
      return perSecond;
    };
    return { used, round };
  });
  const [mine, theirs] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const warm = { connections, seconds: 1 };
  await requestsOf(ours.server, { ...ours.load, ...warm });
  await requestsOf(baseline.server, { ...baseline.load, ...warm });
  const [left, right] = await rotate(5, [mine.round, theirs.round]);
  const how = `${connections} ${connections === 1 ? "connection" : "connections"}, keep-alive; ${about}`;
  const rates = { ours: median(left!), baseline: median(right!) };
  const times = { ours: median(mine.used), baseline: median(theirs.used) };
  return [
    row(name, how, "req/s", rates, goal),
    row(`${name}, processor time`, "the same runs, all threads of the server", "µs/req", times, null),
  ];
}
