/** The platform's gateway: its table, checks in the order of its document, stream and page. */
import type { Platform } from "../../actors/soc/platform.ts";
import type { Logger } from "../../drivers/log/log.ts";
import { platformErrors } from "../errors.ts";
import { type Gateway, type GatewayOptions, openGateway, type Upgrade } from "../gateway.ts";
import type { Metrics } from "../metrics.ts";
import { outside, type Page } from "../outside.ts";
import { Pages } from "../pages.ts";
import { Service } from "../service.ts";
import { StateStream } from "../state-stream.ts";
import type { SocActors } from "./actors.ts";
import { checkIdentity, checkLimit, checkMode, checkOrigin, checkPermission } from "./checks.ts";
import { conduct } from "./conduct.ts";
import { follow, streamAddresses } from "./events.ts";
import { nobody, type SocCaller, type SocPolicy } from "./policy.ts";
import { socApi, socRoutes } from "./table.ts";

export interface SocOptions {
  platform: Platform;
  log: Logger;
  metrics: Metrics;
  /** False lifts the rate limits and the throttling of logins. */
  limits: boolean;
  /** The folder of the built page. */
  pages: string;
  /** Further addresses on the same listeners, for example the inspector's. */
  upgrades?: ReadonlyMap<string, Upgrade>;
  morePages?: readonly Page[];
  /** For tests. */
  checkReplies?: boolean;
  now?(): number;
}

const body = { maxBytes: 1024 * 1024, maxDepth: 32, timeoutMs: 30_000 };

function socService(options: SocOptions) {
  const { platform, log, metrics, limits, now } = options;
  const { mode, identity } = platform;
  const stream = new StateStream({ resources: [], log });
  const upgrades = new Map([...(options.upgrades ?? []), ...streamAddresses(platform, stream)]);
  const page = new Pages(options.pages);
  metrics.gauge("soc_stream_clients", "clients of the state stream", () => stream.clients);
  const service = new Service<SocActors, SocCaller, SocPolicy>({
    name: "soc",
    base: socApi.base,
    routes: socRoutes,
    actors: platform.actors,
    anyone: nobody,
    checks: [
      checkIdentity(identity),
      ...(limits ? [checkLimit(now)] : []),
      checkOrigin,
      checkPermission,
      checkMode(mode.mode),
    ],
    errors: platformErrors,
    body,
    around: conduct(platform, limits, now),
    pages: outside({
      metrics,
      upgrades,
      pages: [...(options.morePages ?? []), (exchange, path) => page.serve(exchange, path)],
    }),
    log,
    metrics,
    checkReplies: options.checkReplies ?? false,
  });
  return { service, stream, upgrades };
}

/** Opens the platform's listeners. */
export async function openSoc(
  options: SocOptions & Pick<GatewayOptions, "listeners" | "identity" | "timeouts">,
): Promise<Gateway> {
  const { service, stream, upgrades } = socService(options);
  const gateway = await openGateway({ ...options, service, stream, upgrades });
  const ignore = follow(options.platform, stream);
  const close = (budgetMs?: number) => {
    ignore();
    return gateway.close(budgetMs);
  };
  return { urls: gateway.urls, close };
}
