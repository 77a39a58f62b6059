/** An appliance's gateway on free ports, over a real tree and store, for the tests of its routes. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applianceCollections } from "../../../actors/appliance/collections.ts";
import type { Presence } from "../../../actors/appliance/presence.ts";
import { startStations } from "../../../actors/appliance/stations.ts";
import type { AnySpec } from "../../../actors/supervisor-spec.ts";
import { startTree } from "../../../actors/tree.ts";
import { type Logger, openLog } from "../../../drivers/log/log.ts";
import { openStore } from "../../../drivers/store/open-store.ts";
import type { Store } from "../../../drivers/store/store.ts";
import { type ApplianceOptions, openAppliance } from "../../../gateway/appliance/service.ts";
import type { Listener, Timeouts } from "../../../gateway/listen.ts";
import { Metrics } from "../../../gateway/metrics.ts";

export interface ApplianceTestOptions {
  log?: Logger;
  limits?: boolean;
  now?: () => number;
  bodyMs?: number;
  timeouts?: Partial<Timeouts>;
  listeners?: Listener[];
  identity?: () => Promise<{ key: string; cert: string }>;
  pages?: string;
  presence?: Presence;
  checkReplies?: boolean;
  /** Children beside the stations, given the store. */
  children?: (store: Store) => AnySpec[];
}

export async function startAppliance(options: ApplianceTestOptions = {}) {
  const home = await mkdtemp(join(tmpdir(), "minaret-gateway-"));
  const log = options.log ?? openLog("silent");
  const store = await openStore(join(home, "store.db"), applianceCollections);
  const children: AnySpec[] = [
    { id: "stations", start: startStations(store, async (url) => url), restart: "permanent" },
    ...(options.children?.(store) ?? []),
  ];
  const tree = await startTree(
    {
      id: "root",
      strategy: "one_for_one",
      children: [{ id: "appliance", strategy: "one_for_one", children }],
    },
    { log },
  );
  const token = { value: randomBytes(32).toString("hex") };
  const settings: ApplianceOptions = {
    tree,
    token: () => token.value,
    log,
    metrics: new Metrics(),
    limits: options.limits ?? false,
    pages: options.pages ?? join(home, "no-pages"),
    checkReplies: options.checkReplies ?? true,
    ...(options.now && { now: options.now }),
    ...(options.presence && { presence: options.presence }),
    ...(options.bodyMs && { bodyMs: options.bodyMs }),
  };
  const stopRest = async () => {
    await tree.drain(2_000);
    await store.close();
    await rm(home, { recursive: true, force: true });
  };
  const gateway = await openAppliance({
    ...settings,
    listeners: options.listeners ?? [{ tls: false, host: "127.0.0.1", port: 0 }],
    ...(options.identity && { identity: options.identity }),
    ...(options.timeouts && { timeouts: options.timeouts }),
  }).catch(async (error) => {
    await stopRest();
    throw error;
  });
  const stop = async () => {
    await gateway.close(500);
    await stopRest();
  };
  return { url: gateway.urls[0]!, gateway, tree, store, token, home, stop };
}

export type TestAppliance = Awaited<ReturnType<typeof startAppliance>>;
