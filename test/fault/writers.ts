/** Clients that go on writing until the process under them dies, and know what they were promised. */
import type { RunningService } from "../service.ts";

export interface Writer {
  name: string;
  /** One write, answered. Throws when the process is gone. */
  write(service: RunningService): Promise<void>;
  /** What of all that was promised is not so; empty when every promise was kept. */
  broken(service: RunningService): Promise<string[]>;
  /** How many promises there are. */
  readonly promised: number;
}

async function call(service: RunningService, method: string, path: string, body?: object): Promise<unknown> {
  const reply = await fetch(`${service.appliance}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** Kept short of the device's limit on stations by removing some; a removal is a promise too. */
const plenty = 60;

/** Stations made and removed. A write without an answer may have happened or not. */
export function stationWriter(): Writer {
  const kept = new Map<string, string>();
  const removed = new Set<string>();
  let made = 0;
  let promised = 0;
  return {
    name: "stations",
    get promised() {
      return promised;
    },
    async write(service) {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size > plenty) {
        kept.delete(oldest);
        await call(service, "DELETE", `/radio/stations/${oldest}`);
        removed.add(oldest);
      } else {
        made += 1;
        const name = `station ${made}`;
        const station = { name, url: `http://192.0.2.1/${made}` };
        const { id } = (await call(service, "POST", "/radio/stations", station)) as { id: string };
        kept.set(id, name);
      }
      promised += 1;
    },
    async broken(service) {
      const { stations } = (await call(service, "GET", "/radio/stations")) as {
        stations: { id: string; name: string }[];
      };
      const found = new Map(stations.map(({ id, name }) => [id, name]));
      return [
        ...[...kept].filter(([id, name]) => found.get(id) !== name).map(([id]) => `${id} was kept, is lost`),
        ...[...removed].filter((id) => found.has(id)).map((id) => `${id} was removed, is back`),
      ];
    },
  };
}

export const applianceWriters = (): Writer[] => [stationWriter()];
