/** The appliance's gateway: its table, checks in the order of its document, stream and pages. */
import type { Presence } from "../../actors/appliance/presence.ts";
import type { Tree } from "../../actors/client.ts";
import type { Logger } from "../../drivers/log/log.ts";
import { DomainError } from "../../machines/errors.ts";
import { applianceErrors } from "../errors.ts";
import { type GatewayOptions, openGateway, type Upgrade } from "../gateway.ts";
import { limitersOf } from "../limits.ts";
import type { Metrics } from "../metrics.ts";
import { checkOrigin, isOwnOrigin } from "../origin.ts";
import { outside, type Page } from "../outside.ts";
import { Pages } from "../pages.ts";
import { type Check, Service } from "../service.ts";
import { StateStream } from "../state-stream.ts";
import { type ApplianceActors, applianceActors } from "./actors.ts";
import { type ApplianceCaller, type AppliancePolicy, rateClasses } from "./policy.ts";
import { applianceResources } from "./resources.ts";
import { applianceApi, applianceRoutes } from "./table.ts";
import { checkToken } from "./token-auth.ts";

export interface ApplianceOptions {
  tree: Tree;
  token(): string;
  log: Logger;
  metrics: Metrics;
  /** False lifts the rate limits. */
  limits: boolean;
  /** The folder of the built page. */
  pages: string;
  /** Further addresses on the same listeners, for example the inspector's. */
  upgrades?: ReadonlyMap<string, Upgrade>;
  morePages?: readonly Page[];
  /** Told who is there, so that the device knows when it may sleep and when to wake. */
  presence?: Presence;
  /** For tests. */
  checkReplies?: boolean;
  now?(): number;
  bodyMs?: number;
}

type ApplianceCheck = Check<ApplianceActors, ApplianceCaller, AppliancePolicy>;

/** JSON bodies are small; whoever needs seconds for one is not a client. */
const body = { maxBytes: 16 * 1024, maxDepth: 32, timeoutMs: 10_000 };

export function applianceService(options: ApplianceOptions) {
  const { tree, token, log, metrics } = options;
  const actors = applianceActors(tree);
  const resources = applianceResources(actors);
  const stream = new StateStream({ resources, log });
  const upgrades = new Map([...(options.upgrades ?? []), ...streamAddresses(stream)]);
  const page = new Pages(options.pages);
  for (const { path, policy } of applianceRoutes) {
    const known = !policy.emits || resources.some(({ name }) => name === policy.emits);
    if (!known) throw new Error(`${path} emits ${policy.emits}, which is no resource`);
  }
  const checks: ApplianceCheck[] = [checkToken(token), checkOrigin];
  if (options.limits) checks.unshift(checkLimit(options.now));
  const { presence } = options;
  if (presence) {
    checks.push((_, { method }) => presence.touch(method !== "get"));
    stream.watchClients((count) => presence.count(count));
  }
  metrics.gauge("appliance_stream_clients", "clients of the state stream", () => stream.clients);
  const service = new Service<ApplianceActors, ApplianceCaller, AppliancePolicy>({
    name: "appliance",
    base: applianceApi.base,
    routes: applianceRoutes,
    actors,
    anyone: "anyone",
    checks,
    errors: applianceErrors,
    body: { ...body, timeoutMs: options.bodyMs ?? body.timeoutMs },
    around: (exchange, route) => {
      const { emits } = route.policy;
      return emits ? stream.during(emits, () => route.handle(exchange)) : route.handle(exchange);
    },
    settled: ({ requestId }, { policy }) => policy.emits && stream.mutated(policy.emits, requestId),
    pages: outside({
      metrics,
      upgrades,
      pages: [...(options.morePages ?? []), (exchange, path) => page.serve(exchange, path)],
    }),
    log,
    metrics,
    checkReplies: options.checkReplies ?? false,
  });
  return { service, stream, upgrades, actors };
}

/** Opens the appliance's listeners. */
export function openAppliance(
  options: ApplianceOptions & Pick<GatewayOptions, "listeners" | "identity" | "timeouts">,
) {
  return openGateway({ ...options, ...applianceService(options) });
}

function checkLimit(now: (() => number) | undefined): ApplianceCheck {
  const limiters = limitersOf(rateClasses, now);
  return (exchange, { policy }) => {
    limiters[policy.rate].take(exchange.address, exchange);
  };
}

/** The stream is public, but not for pages of other sites. */
function streamAddresses(stream: StateStream): [string, Upgrade][] {
  const take: Upgrade = (request, socket, head) => {
    if (!isOwnOrigin(request)) throw new DomainError("forbidden", "Origin: another page may not listen");
    if (stream.full) throw new DomainError("overloaded", "too many clients");
    stream.accept(request, socket, head);
  };
  return [
    ["/ws", take],
    ["/api/ws", take],
  ];
}
