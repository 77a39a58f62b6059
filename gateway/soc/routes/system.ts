/** What the platform says of itself: health, mode, topology, figures. */
import { hostname } from "node:os";
import { z } from "zod";
import { DomainError } from "../../../machines/errors.ts";
import { modes, type RuntimeTruth } from "../../../machines/soc/modes.ts";
import manifest from "../../../package.json" with { type: "json" };
import { socRoute } from "../policy.ts";

const tag = "System";
const probe = { permission: "public", rate: "health", effect: "read" } as const;
const read = { permission: "authenticated", rate: "general", effect: "read" } as const;

const Truth = z
  .strictObject({
    mode: z.enum(modes),
    is_database_available: z.boolean(),
    showcase_reads_allowed: z.boolean(),
    uses_showcase_data: z.boolean(),
    read_data_source: z.enum(["database", "showcase", "unavailable"]),
    is_mutations_allowed: z.boolean(),
    is_internal_workflows_allowed: z.boolean(),
    is_external_actions_allowed: z.boolean(),
  })
  .meta({ id: "RuntimeTruth" });

const tally = { total: z.int(), by_status: z.record(z.string(), z.int()) };
const graded = { ...tally, by_severity: z.record(z.string(), z.int()), open: z.int() };
const Overview = z
  .strictObject({
    alerts: z.strictObject(graded),
    cases: z.strictObject(graded),
    approvals: z.strictObject({ ...tally, pending: z.int() }),
    executions: z.strictObject({ ...tally, running: z.int() }),
    endpoints: z.strictObject({ ...tally, isolated: z.int() }),
    playbooks: z.strictObject({ total: z.int(), enabled: z.int() }),
  })
  .meta({ id: "Overview" });

const figures = { permission: "stats:read", rate: "general", effect: "read" } as const;

function healthOf({ mode, is_database_available: up }: RuntimeTruth) {
  const { version } = manifest;
  return up
    ? { status: "ok" as const, version, mode, store: "up" as const }
    : { status: "degraded" as const, version, mode, store: "down" as const };
}

/** Ready to answer with data of its own, or with the showcase where that is meant. */
function readiness({ read_data_source: source }: RuntimeTruth): { ready: true; read_data_source: string } {
  if (source === "unavailable") throw new DomainError("unavailable", "the store is not available");
  return { ready: true, read_data_source: source };
}

export const systemRoutes = [
  socRoute({
    method: "get",
    path: "/health",
    absolute: true,
    summary: "Whether the process lives, and what is down; always 200",
    tag,
    policy: probe,
    reply: z.strictObject({
      status: z.enum(["ok", "degraded"]),
      version: z.string(),
      mode: z.enum(modes),
      store: z.enum(["up", "down"]),
    }),
    handle: ({ actors }) => healthOf(actors.mode.truth()),
  }),
  socRoute({
    method: "get",
    path: "/ready",
    absolute: true,
    summary: "Whether requests can be served now",
    tag,
    policy: probe,
    reply: z.strictObject({ ready: z.literal(true), read_data_source: z.string() }),
    handle: ({ actors }) => readiness(actors.mode.truth()),
  }),
  socRoute({
    method: "get",
    path: "/system/mode",
    summary: "The runtime mode, and what it allows now",
    tag,
    policy: read,
    reply: Truth,
    handle: ({ actors }) => actors.mode.truth(),
  }),
  socRoute({
    method: "get",
    path: "/system/topology",
    summary: "Where this platform runs, and its sites",
    tag,
    policy: read,
    reply: z.strictObject({
      deployment_mode: z.enum(["standalone", "shared"]),
      hostname: z.string(),
      platform: z.string(),
      runtime_mode: z.enum(modes),
      sites: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          profile: z.strictObject({ asset_classes: z.array(z.string()) }),
        }),
      ),
    }),
    handle: async ({ actors }) => ({
      deployment_mode: actors.mode.deployment,
      hostname: hostname(),
      platform: `${process.platform} ${process.arch}`,
      runtime_mode: actors.mode.mode,
      sites: await actors.stats.sites(),
    }),
  }),
  socRoute({
    method: "get",
    path: "/stats/overview",
    summary: "Figures over everything that the platform holds",
    tag: "Statistics",
    policy: figures,
    reply: Overview,
    handle: ({ actors }) => actors.stats.overview(),
  }),
  socRoute({
    method: "get",
    path: "/dashboard/stats",
    summary: "The same figures, for the dashboard",
    tag: "Statistics",
    policy: figures,
    reply: Overview,
    handle: ({ actors }) => actors.stats.overview(),
  }),
];
