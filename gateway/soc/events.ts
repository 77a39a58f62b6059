/** The platform's state stream: which record is whose event, who may see it, and how a client is greeted. */
import type { IncomingMessage } from "node:http";
import type { EntityStep } from "../../actors/entity-step.ts";
import { shownCase } from "../../actors/soc/case-parts.ts";
import type { Principal } from "../../actors/soc/identity.ts";
import type { Platform } from "../../actors/soc/platform.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Permission } from "../../machines/soc/roles.ts";
import type { Upgrade } from "../gateway.ts";
import { isOwnOrigin } from "../origin.ts";
import type { Audience, StateStream } from "../state-stream.ts";
import { credentialOf, unauthorized } from "./authentication.ts";

interface EventSpec {
  event: string;
  topic: string;
  /** Null: whoever is logged in. */
  permission: Permission | null;
  /** Keys of services never see it. */
  people?: boolean;
  /** As its GET shows it. */
  show?(record: never): unknown;
}

const specs: Record<string, EventSpec> = {
  alert: { event: "alert", topic: "alerts", permission: "alerts:read" },
  case: { event: "case", topic: "cases", permission: "cases:read", show: shownCase },
  approval: { event: "approval", topic: "approvals", permission: "approvals:manage", people: true },
  execution: { event: "execution", topic: "executions", permission: "soar:read" },
  endpoint: { event: "endpoint", topic: "endpoints", permission: "edr:read" },
  mode: { event: "mode", topic: "mode", permission: null },
};
const byEvent = new Map(Object.values(specs).map((spec) => [spec.event, spec]));
const topics = new Map(Object.values(specs).map((spec) => [spec.topic, spec.event]));

/** Sends each stored step, and the mode whenever the store comes or goes. */
export function follow(platform: Platform, stream: StateStream): () => void {
  const stops = [
    platform.watchSteps((step) => publish(stream, step)),
    platform.mode.watch((truth) => stream.publish("mode", truth)),
    platform.identity.watch(() => dropStrangers(platform, stream)),
  ];
  const expiry = setInterval(() => dropStrangers(platform, stream), 15_000).unref();
  return () => {
    clearInterval(expiry);
    for (const stop of stops) stop();
  };
}

function publish(stream: StateStream, { kind, record, meta }: EntityStep): void {
  const spec = specs[kind];
  if (!spec) return;
  const { id } = record;
  const shown = record.status === "deleted" ? { id, deleted: true } : spec.show?.(record as never);
  // What the platform does later because of a request is news of its own, not the request's event.
  const cause = meta.actor === "system" ? undefined : meta.cause;
  stream.publish(spec.event, shown ?? record, {
    subject: `${spec.event} ${id}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

interface PlatformAudience extends Audience {
  principal: Principal;
}

function dropStrangers({ identity }: Platform, stream: StateStream): void {
  const isStranger = (audience: Audience) => !identity.current((audience as PlatformAudience).principal);
  stream.dropClients(4401, "the session has ended", isStranger);
}

/** The stream's addresses. */
export function streamAddresses(platform: Platform, stream: StateStream): [string, Upgrade][] {
  const take: Upgrade = async (request, socket, head) => {
    const credential = credentialOf(request);
    if (!credential) throw unauthorized();
    const principal = await platform.identity.admit(credential);
    if (!isOwnOrigin(request)) throw new DomainError("forbidden", "Origin: another page may not listen");
    const audience = audienceOf(platform, principal, topicsOf(request));
    if (stream.full) throw new DomainError("overloaded", "too many clients");
    stream.accept(request, socket, head, audience);
  };
  return [
    ["/ws", take],
    ["/api/v1/ws", take],
  ];
}

function audienceOf(
  platform: Platform,
  principal: Principal,
  wanted: ReadonlySet<string> | null,
): PlatformAudience {
  return {
    principal,
    accepts: (event) => {
      if (wanted && !wanted.has(event)) return false;
      const now = platform.identity.current(principal);
      return now !== null && maySee(now, event);
    },
    hello: () => helloFor(platform, principal),
  };
}

function maySee({ permissions, via }: Principal, event: string): boolean {
  const spec = byEvent.get(event);
  if (!spec || (spec.people && via === "key")) return false;
  return spec.permission === null || permissions.has(spec.permission);
}

function topicsOf({ url = "" }: IncomingMessage): ReadonlySet<string> | null {
  const asked = new URL(url, "http://stream").searchParams.get("topics");
  if (asked === null) return null;
  return new Set(
    asked.split(",").map((topic) => {
      const event = topics.get(topic.trim());
      if (event) return event;
      throw new DomainError("invalid_input", `topics: must be of ${[...topics.keys()].join(", ")}`);
    }),
  );
}

/** Lists come by REST; a greeting says what a person on duty must know first, as far as they may. */
async function helloFor(platform: Platform, principal: Principal): Promise<object> {
  const truth = platform.mode.truth();
  const mine = (event: string) => maySee(principal, event);
  const none = { mode: truth, counts: null, executions: null, approvals: null };
  if (truth.read_data_source === "unavailable") return none;
  const actors = truth.uses_showcase_data ? await platform.showcase() : platform.actors;
  const ask = <T>(allowed: boolean, question: () => Promise<T>) =>
    allowed ? question().catch(() => null) : null;
  const [counts, executions, approvals] = await Promise.all([
    ask(principal.permissions.has("stats:read"), () => actors.stats.overview()),
    ask(mine("execution"), () => actors.stats.running()),
    ask(mine("approval"), () => actors.stats.pending()),
  ]);
  return { mode: truth, counts, executions, approvals };
}
