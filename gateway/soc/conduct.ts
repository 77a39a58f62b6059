/** What stands around every handler: a dry run's preview, the showcase, and patience with logins. */
import type { Platform } from "../../actors/soc/platform.ts";
import { DomainError } from "../../machines/errors.ts";
import { outcomeOf } from "../../machines/soc/modes.ts";
import type { Exchange } from "../exchange.ts";
import { OtherReply, Reply, type Route } from "../route.ts";
import type { SocActors } from "./actors.ts";
import { LoginThrottle } from "./login-throttle.ts";
import type { SocCaller, SocPolicy } from "./policy.ts";

type SocExchange = Exchange<SocActors, SocCaller>;
type SocRoute = Route<SocActors, SocCaller, SocPolicy>;

export function conduct(platform: Platform, throttled: boolean, now?: () => number) {
  const throttle = throttled ? new LoginThrottle(now) : undefined;
  const { mode } = platform.mode;
  return async (exchange: SocExchange, route: SocRoute): Promise<unknown> => {
    const { effect, password = false, showcase = true } = route.policy;
    if (password && throttle) {
      const { caller, address, body } = exchange;
      const username = caller.via === "none" ? (body as { username: string }).username : caller.name;
      return throttle.guard({ username, address }, exchange, () => route.handle(exchange));
    }
    if (outcomeOf(effect, mode) === "preview") return preview(platform, exchange, route);
    if (effect === "read" && mode === "dummy" && showcase) return shown(platform, exchange, route);
    return route.handle(exchange);
  };
}

/** Every lookup and refusal is the real one; what would be written is shown, and forgotten. */
async function preview(platform: Platform, exchange: SocExchange, route: SocRoute): Promise<unknown> {
  exchange.actors = platform.preview();
  const reply: unknown = await route.handle(exchange);
  const result: unknown = reply instanceof Reply ? reply.value : reply;
  const status = (reply instanceof Reply ? reply.status : undefined) ?? route.status ?? 200;
  const path = (exchange.request.url ?? "").split("?")[0]!;
  const { desk } = platform;
  await desk.audit.record({
    at: new Date(desk.now()).toISOString(),
    actor: exchange.caller.name,
    action: `preview.${route.method.toUpperCase()}`,
    object: path,
    result: "preview",
    request_id: exchange.requestId,
  });
  const would = { action: route.summary, method: route.method.toUpperCase(), path, status, result };
  return new OtherReply({ preview: true, would }, { status: 200 });
}

/** The showcase stands in while there is no store to read. */
async function shown(platform: Platform, exchange: SocExchange, route: SocRoute): Promise<unknown> {
  if (platform.desk.store.up) {
    try {
      return await route.handle(exchange);
    } catch (error) {
      const down = error instanceof DomainError && error.code === "unavailable" && !platform.desk.store.up;
      if (!down) throw error;
    }
  }
  exchange.actors = await platform.showcase();
  return route.handle(exchange);
}
