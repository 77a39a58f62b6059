/** The case work's routes on a free port, behind callers that say who they are: what is tested is the work, not the door. */
import { pino } from "pino";
import { MemoryKeys } from "../../../drivers/keys/memory-keys.ts";
import { platformErrors } from "../../../gateway/errors.ts";
import { openGateway } from "../../../gateway/gateway.ts";
import { Service } from "../../../gateway/service.ts";
import type { SocActors } from "../../../gateway/soc/actors.ts";
import { nobody, type SocCaller, type SocPolicy } from "../../../gateway/soc/policy.ts";
import { alertRoutes } from "../../../gateway/soc/routes/alerts.ts";
import { auditRoutes } from "../../../gateway/soc/routes/audit.ts";
import { caseFileRoutes } from "../../../gateway/soc/routes/case-file.ts";
import { caseRoutes } from "../../../gateway/soc/routes/cases.ts";
import { StateStream } from "../../../gateway/state-stream.ts";
import { DomainError } from "../../../machines/errors.ts";
import { permissionsOf } from "../../../machines/soc/roles.ts";
import { openPlatformStore, Process } from "../../actors/soc/platform.ts";

export const caseWorkRoutes = [...alertRoutes, ...caseRoutes, ...caseFileRoutes, ...auditRoutes];
export const maxBytes = 1024 * 1024;

export async function startCaseService({ checkReplies = true } = {}) {
  const log = pino({ level: "silent" });
  const { store, close } = await openPlatformStore();
  const soc = new Process(store, new MemoryKeys());
  const { alerts, cases, file } = soc;
  const service = new Service<SocActors, SocCaller, SocPolicy>({
    name: "soc",
    base: "/api/v1",
    routes: caseWorkRoutes,
    actors: { alerts, cases, file, audit: soc.desk.audit } as SocActors,
    anyone: nobody,
    checks: [
      (exchange) => {
        const name = /^Bearer (analyst|manager)$/.exec(exchange.header("authorization") ?? "")?.[1];
        if (name !== "analyst" && name !== "manager") throw new DomainError("unauthorized", "who asks?");
        exchange.caller = { name, role: name, permissions: permissionsOf(name), via: "token" };
      },
      ({ caller }, { policy: { permission } }) => {
        const needed = [permission].flat();
        const lacks = needed.find((each) => !caller.permissions.has(each as never));
        if (lacks) throw new DomainError("forbidden", `needs ${lacks}`);
      },
    ],
    errors: platformErrors,
    body: { maxBytes, maxDepth: 32, timeoutMs: 10_000 },
    log,
    checkReplies,
  });
  const stream = new StateStream({ resources: [], log });
  const listeners = [{ tls: false, host: "127.0.0.1", port: 0 }];
  const gateway = await openGateway({ service, stream, listeners, upgrades: new Map() });
  const url = gateway.urls[0] as string;

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: "Bearer manager",
        ...(body ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }

  async function stop(): Promise<void> {
    await gateway.close(500);
    await soc.stop();
    await close();
  }
  return { url, soc, store, call, stop };
}
