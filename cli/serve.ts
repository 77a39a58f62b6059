import type { RunningTree } from "../actors/tree.ts";
import { startTree } from "../actors/tree.ts";
import type { Config } from "../config.ts";
import { openLog } from "../drivers/log/log.ts";
import { Metrics } from "../gateway/metrics.ts";
import manifest from "../package.json" with { type: "json" };
import type { Branch, Surroundings } from "./branch.ts";
import type { ServiceName } from "./homes.ts";
import { finishRestore } from "./restore.ts";
import { onSignals } from "./signals.ts";

const drainMs = 5_000;

/** Runs services until they are asked to stop, or an essential part of them fails for good. */
export function serve(services: readonly ServiceName[]) {
  return async (_operands: string[], config: Config): Promise<number> => {
    const log = openLog(config.logLevel);
    if (config.unused.length > 0) log.warn(`set, but not used by this release: ${config.unused.join(", ")}`);
    if (finishRestore(config)) log.info("a backup was put in place");
    const metrics = new Metrics();
    let tree: RunningTree | undefined;
    const inspector = await openInspector(config, () => tree);
    const surroundings: Surroundings = {
      config,
      log,
      metrics,
      tree: () => tree!,
      upgrades: inspector?.upgrades ?? new Map(),
      pages: inspector?.pages ?? [],
    };
    const branches: Branch[] = [];
    for (const service of services) branches.push(await branchOf(service, surroundings));
    const asks = metrics.histogram("ask_seconds", "time from a question to an actor to its answer");
    const started = startTree(
      { id: "root", strategy: "one_for_one", children: branches.map(({ spec }) => spec) },
      {
        log,
        onAsk: (_path, ms) => asks.observe(ms / 1_000),
        ...(inspector && { inspect: inspector.inspect }),
      },
    );
    const signals = onSignals(() => void started.then((running) => running.drain(drainMs)));
    tree = await started;
    metrics.counter("restarts", "restarts of children", () =>
      (tree?.status() ?? []).map(({ path, restarts }) => ({ labels: { child: path }, value: restarts })),
    );
    if (!signals.heard) greet(config, branches, inspector?.lines(branches) ?? []);
    const { code, reason } = await tree.finished;
    signals.forget();
    if (code !== 0) log.fatal(reason);
    return code;
  };
}

async function branchOf(service: ServiceName, surroundings: Surroundings): Promise<Branch> {
  if (service === "appliance") return (await import("./appliance-branch.ts")).applianceBranch(surroundings);
  return (await import("./soc-branch.ts")).socBranch(surroundings);
}

async function openInspector(config: Config, tree: () => RunningTree | undefined) {
  if (config.inspector === "off") return undefined;
  return (await import("./inspector.ts")).openInspector(config.inspector, tree);
}

/** The one thing meant for a person: standard output, never the log. */
function greet(config: Config, branches: readonly Branch[], inspector: readonly [string, string][]): void {
  const lines = [...branches.flatMap((branch) => branch.lines()), ...inspector];
  const width = Math.max(...lines.map(([label]) => label.length));
  console.log(`\nMinaret ${manifest.version}\n`);
  for (const [label, text] of lines) console.log(`  ${label.padEnd(width)}  ${text}`);
  for (const branch of branches)
    for (const [label, text] of branch.secrets()) console.log(`\n  ${label}  ${text}`);
  if (!config.limits) console.log("\n  Rate limits and login throttling are off.");
  console.log("\nready");
}
