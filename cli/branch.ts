import type { SupervisorSpec } from "../actors/supervisor-spec.ts";
import type { Config } from "../config.ts";
import type { Logger } from "../drivers/log/log.ts";
import type { Store } from "../drivers/store/store.ts";
import type { Upgrade } from "../gateway/gateway.ts";
import type { InspectorHub } from "../gateway/inspector/hub.ts";
import type { Metrics } from "../gateway/metrics.ts";
import type { Page } from "../gateway/outside.ts";
import type { Failure } from "../machines/appliance/system.ts";
import type { ServiceName } from "./homes.ts";

/** What every service of this process is built with. */
export interface Surroundings {
  config: Config;
  log: Logger;
  metrics: Metrics;
  /** What of one service does not run, and when that may have changed. */
  failures(service: ServiceName): Failure[];
  watchFailures(changed: () => void): () => void;
  /** Stops a service and starts it again from its home. */
  rebuild(service: ServiceName): void;
  /** The inspector's addresses, where it is on. */
  upgrades: ReadonlyMap<string, Upgrade>;
  pages: readonly Page[];
  /** Shows a stored entity's step in the inspector. */
  entityStep: InspectorHub["entityStep"] | undefined;
}

/** One service of the tree, and what a person is told of it at the start. */
export interface Branch {
  spec: SupervisorSpec;
  /** Where it listens; asked when the tree stands. */
  origins(): readonly string[];
  /** Labelled lines of the banner; asked when the tree stands. */
  lines(): [label: string, text: string][];
  /** Secrets that nobody was shown yet: for the console, once. */
  secrets(): [label: string, text: string][];
  secretsShown(): void;
}

/** Shows a service's store in `/metrics`. */
export function measureStore(metrics: Metrics, service: ServiceName, store: Store): void {
  metrics.gauge(`${service}_store_up`, "whether the store can be used", () => Number(store.up));
  metrics.gauge(`${service}_store_pending`, "operations that wait for the store", () => store.pending);
}
