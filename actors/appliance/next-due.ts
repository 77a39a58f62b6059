import type { ScheduleView } from "../../machines/appliance/scheduler.ts";
import type { Client, Tree } from "../client.ts";

/** Until the next enabled schedule or adhan by the appliance's own clock; null when there is none. */
export function nextDueIn(tree: Tree, nowMs: number): number | null {
  const schedules = shown<readonly ScheduleView[]>(tree, "appliance/scheduler") ?? [];
  const prayer = shown<{ next_adhan: number | null }>(tree, "appliance/prayer");
  const times = schedules.flatMap(({ next_run }) => (next_run === null ? [] : [Date.parse(next_run)]));
  if (typeof prayer?.next_adhan === "number") times.push(prayer.next_adhan * 1_000);
  const ahead = times.filter((time) => time >= nowMs);
  return ahead.length === 0 ? null : Math.min(...ahead) - nowMs;
}

/** A part that does not run has nothing due. */
function shown<V>(tree: Tree, path: string): V | undefined {
  try {
    const client: Client<never, V> = tree.client(path);
    return client.view();
  } catch {
    return undefined;
  }
}
