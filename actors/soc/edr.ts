/** Endpoints: learned from the adapter's inventory, acted on through it, believed only when it confirms. */
import type { Edr, EdrAnswer, Inventory, SeenEndpoint } from "../../drivers/edr/edr.ts";
import { DomainError } from "../../machines/errors.ts";
import {
  type ActionReport,
  dueOf,
  type Endpoint,
  type EndpointAction,
  type EndpointEvent,
  type EndpointInput,
  type EndpointStatus,
  endpointMachine,
  endpointOf,
  type LastAction,
  refusalOf,
} from "../../machines/soc/edr-endpoint.ts";
import { type EntityHost, entityHost } from "../entity.ts";
import type { EntityKind } from "../entity-kind.ts";
import type { EntityStep } from "../entity-step.ts";
import { askOutside, pause } from "./ask-outside.ts";
import { type Asker, metaOf } from "./asker.ts";
import { type Desk, hostOptions, isoNow } from "./desk.ts";
import { newId } from "./ids.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export const endpointCollection = {
  name: "endpoints",
  indexes: [{ fields: ["last_seen"] }, { fields: ["status", "last_seen"] }, { fields: ["hostname"] }],
} as const;

export interface EndpointPorts {
  /** Null when none is configured. */
  edr: Edr | null;
  /** The step of a playbook that waits for an action hears how it ended. */
  report(said: ActionReport): Promise<void>;
}

export interface AdapterState {
  status: "off" | "unknown" | "up" | "down";
  polled_at: string | null;
  error: string | null;
}

export interface EdrStats {
  total: number;
  by_status: Partial<Record<EndpointStatus, number>>;
  adapter: AdapterState;
}

/** A step of a playbook asks for an action. */
export interface StepAction {
  endpoint_id: string;
  action: EndpointAction;
  key: string;
  by: string;
  reason: string | null;
  limitMs: number;
  execution_id: string;
  step_id: string;
}

const listed = { collection: endpointCollection.name, sorts: ["last_seen", "hostname"] } as const;
const commands = { isolate: "ISOLATE", unisolate: "UNISOLATE", scan: "SCAN" } as const;
/** How long an action that a person asked for waits for its confirmation. */
const patienceMs = 60_000;
/** An endpoint that is as it was is written again only so often. */
const freshMs = 5 * 60_000;
const lanes = 8;
const actor = "edr";
/** Nobody changes anything by looking: what was seen is no entry of the audit. */
const looks = new Set(["CREATED", "SEEN", "CALLED"]);

export class Endpoints {
  readonly #desk: Desk;
  readonly #ports: EndpointPorts;
  readonly #host: EntityHost<EndpointEvent, Endpoint, EndpointInput>;
  adapter: AdapterState;

  constructor(desk: Desk, ports: EndpointPorts) {
    this.#desk = desk;
    this.#ports = ports;
    this.adapter = { status: ports.edr ? "unknown" : "off", polled_at: null, error: null };
    const options = hostOptions(desk);
    const audit = (step: EntityStep) => (looks.has(step.event.type) ? null : desk.audit.ofStep(step));
    this.#host = entityHost<typeof endpointMachine, Endpoint>(desk.store, this.#kind(), {
      ...options,
      audit,
    });
  }

  async get(id: string): Promise<Endpoint> {
    const endpoint = await this.#host.get(id);
    if (!endpoint) throw new DomainError("not_found", `there is no endpoint ${id}`);
    return endpoint;
  }

  async list(
    query: ListQuery,
    filter: { status?: string | undefined; site?: string | undefined; hostname?: string | undefined } = {},
  ): Promise<List<Endpoint>> {
    const list = await listOf(this.#desk.store, listed, query, { ...filter });
    return { ...list, items: list.items.map(({ due: _, ...doc }) => doc as unknown as Endpoint) };
  }

  async stats(): Promise<EdrStats> {
    const counts = await this.#desk.store.countBy(endpointCollection.name, "status");
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { total, by_status: Object.fromEntries(counts), adapter: this.adapter };
  }

  /** A person's command; the answer is the endpoint that now waits for its adapter. */
  async act(id: string, action: EndpointAction, reason: string | null, asker: Asker): Promise<Endpoint> {
    await this.get(id);
    if (!this.#ports.edr) throw new DomainError("unavailable", "no EDR adapter is configured");
    const at = isoNow(this.#desk);
    const answer_by = new Date(this.#desk.now() + patienceMs).toISOString();
    const key = newId("action", this.#desk.now());
    const event = { type: commands[action], by: asker.actor, at, reason, key, answer_by } as const;
    return this.#host.tell(id, event, metaOf(asker, at));
  }

  /** A playbook's command, however often it is told. Its end is reported later, unless it is known already. */
  async actFor(step: StepAction): Promise<Pick<ActionReport, "outcome" | "receipt"> | null> {
    const { endpoint_id: id, action, key, by, reason, execution_id, step_id } = step;
    const endpoint = await this.get(id);
    if (!this.#ports.edr) return { outcome: "failed", receipt: "no EDR adapter is configured" };
    if (endpoint.action?.key === key) return null;
    const last = endpoint.last_action?.key === key ? endpoint.last_action : null;
    if (last?.outcome === "confirmed") return { outcome: "done", receipt: last.receipt };
    if (last?.outcome === "refused") return { outcome: "failed", receipt: errorOf(last) };
    if (isThere(endpoint, action)) return { outcome: "done", receipt: { already: endpoint.status } };
    const at = isoNow(this.#desk);
    const answer_by = new Date(this.#desk.now() + step.limitMs).toISOString();
    const waiting = { execution_id, step_id };
    const event = { type: commands[action], by, at, reason, key, answer_by, waiting } as const;
    await this.#host.tell(id, event, { actor: by, at });
    return null;
  }

  /** What an inventory says that was asked for at `at`. */
  async learn({ endpoints }: Inventory, at: string): Promise<void> {
    const fields = ["hostname", "ip", "os", "status", "last_seen"];
    const { items } = await this.#desk.store.find(endpointCollection.name, { fields });
    const known = new Map(items.map((doc) => [doc.id, doc as unknown as Endpoint]));
    const queue = endpoints.values();
    const lane = async () => {
      for (const seen of queue) await this.#learnOne(known.get(seen.id), seen, at);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #learnOne(before: Endpoint | undefined, seen: SeenEndpoint, at: string): Promise<void> {
    const { id, hostname, ip, os, status } = seen;
    const meta = { actor, at };
    const input = { id, hostname, ip, os, site: null, source: actor, at };
    if (!before) {
      await this.#host.createUnique(id, input, meta);
      if (status === null || status === "online") return;
    } else if (!isNews(before, seen, at)) return;
    await this.#host.tell(id, { type: "SEEN", hostname, ip, os, status, source: actor, at }, meta);
  }

  async #call({ id, action }: Endpoint): Promise<EndpointEvent | undefined> {
    const { edr } = this.#ports;
    if (!action || (await this.#host.get(id))?.action?.key !== action.key) return undefined;
    const { key, name, reason } = action;
    const said = () => ({ key, at: isoNow(this.#desk) });
    if (!edr) return { type: "REFUSED", ...said(), error: "no EDR adapter is configured" };
    const limitMs = Date.parse(action.answer_by) - Date.parse(action.started_at);
    const answer = await askOutside<EdrAnswer>({
      honoursKeys: await edr.honoursKeys(),
      markCalled: () => this.#markCalled(id, key),
      limitMs,
      ask: (timeoutMs) => edr.act(id, name, { key, reason, timeoutMs }),
      isUnknown: ({ outcome }) => outcome === "unknown",
    });
    if (!answer) return { type: "DOUBTED", ...said(), error: "the platform stopped while it was asking" };
    switch (answer.outcome) {
      case "confirmed":
        return { type: "CONFIRMED", ...said(), receipt: answer.receipt };
      case "refused":
        return { type: "REFUSED", ...said(), error: answer.error };
      case "unknown":
        return { type: "DOUBTED", ...said(), error: answer.error };
      case "accepted":
        return this.#follow(edr, id, key, name === "isolate", performance.now() + limitMs);
    }
  }

  /** Taken, not confirmed: looks more often than the poll does, as long as somebody waits. */
  async #follow(
    edr: Edr,
    id: string,
    key: string,
    wanted: boolean,
    until: number,
  ): Promise<EndpointEvent | undefined> {
    for (let rest = 1_000; performance.now() < until; rest = Math.min(rest * 2, 15_000)) {
      await pause(rest);
      if ((await this.#host.get(id))?.action?.key !== key) return undefined;
      const inventory = await edr.inventory().catch(() => null);
      const status = inventory?.endpoints.find((seen) => seen.id === id)?.status ?? null;
      if (status === null || (status === "isolated") !== wanted) continue;
      return { type: "CONFIRMED", key, at: isoNow(this.#desk), receipt: { confirmed_by: "inventory" } };
    }
    return undefined;
  }

  async #markCalled(id: string, key: string): Promise<boolean> {
    const at = isoNow(this.#desk);
    try {
      await this.#host.tell(id, { type: "CALLED", key, at }, { actor, at });
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === "conflict") return false;
      throw error;
    }
  }

  #kind(): EntityKind<typeof endpointMachine, Endpoint> {
    return {
      name: "endpoint",
      collection: endpointCollection,
      machine: endpointMachine,
      refusalOf,
      recordOf: endpointOf,
      dueOf,
      effects: {
        callAdapter: (endpoint) => this.#call(endpoint),
        tellExecution: async (_, said: ActionReport) => {
          await this.#ports.report(said);
          return undefined;
        },
      },
    };
  }
}

/** Where the action would lead, and nothing is under way. */
function isThere({ action: underWay, status }: Endpoint, action: EndpointAction): boolean {
  if (underWay !== null || action === "scan") return false;
  return (status === "isolated") === (action === "isolate");
}

function errorOf({ receipt }: LastAction): string {
  return (receipt as { error?: string } | null)?.error ?? "the adapter refused it";
}

function isNews(before: Endpoint, seen: SeenEndpoint, at: string): boolean {
  if (before.hostname !== seen.hostname) return true;
  if (seen.ip !== null && seen.ip !== before.ip) return true;
  if (seen.os !== null && seen.os !== before.os) return true;
  if (Date.parse(before.last_seen) + freshMs <= Date.parse(at)) return true;
  const awaited = { isolating: seen.status === "isolated", unisolating: seen.status !== "isolated" };
  if (before.status in awaited) return seen.status !== null && awaited[before.status as keyof typeof awaited];
  return seen.status !== null && seen.status !== before.status;
}
