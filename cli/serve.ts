import { plantTree, type RunningTree } from "../actors/tree.ts";
import type { Config } from "../config.ts";
import { type Logger, openLog } from "../drivers/log/log.ts";
import { Metrics } from "../gateway/metrics.ts";
import manifest from "../package.json" with { type: "json" };
import type { Branch, Surroundings } from "./branch.ts";
import { checkAddresses } from "./free-ports.ts";
import type { ServiceName } from "./homes.ts";
import { finishRestore } from "./restore.ts";
import { onSignals } from "./signals.ts";
import { reportHealth, runSlot } from "./slots.ts";

const drainMs = 5_000;

/** Runs services until they are asked to stop, or an essential part of them fails for good. */
export function serve(services: readonly ServiceName[]) {
  return async (_operands: string[], config: Config): Promise<number> => {
    const args = [services.length === 2 ? "all" : services[0]!];
    const slot = services.includes("appliance") ? await runSlot(config, args) : null;
    return slot ?? serveHere(services, config);
  };
}

async function serveHere(services: readonly ServiceName[], config: Config): Promise<number> {
  for (const service of services)
    await checkAddresses(`${service.toUpperCase()}_LISTEN`, config[service].listen);
  const log = openLog(config.logLevel);
  if (config.unused.length > 0) log.warn(`set, but not used by this release: ${config.unused.join(", ")}`);
  if (finishRestore(config)) log.info("a backup was put in place");
  const run = new Run(config, log);
  const signals = onSignals(() => void run.tree?.drain(drainMs));
  await run.build(services);
  const tree = run.plant();
  if (signals.heard) void tree.drain(drainMs);
  await tree.booted;
  const serves = await Promise.race([run.serves(), tree.finished.then(() => false)]);
  if (serves && !signals.heard) {
    run.greet();
    await reportHealth(config);
  }
  const { code, reason } = await tree.finished;
  signals.forget();
  if (code !== 0) log.fatal(reason);
  return code;
}

/** One run of the process: its services, and the tree they hang in. */
class Run {
  tree: RunningTree | undefined;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #metrics = new Metrics();
  readonly #branches = new Map<ServiceName, Branch>();
  #inspector: Awaited<ReturnType<typeof openInspector>>;

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
  }

  async build(services: readonly ServiceName[]): Promise<void> {
    this.#inspector = await openInspector(this.#config, this.#log);
    for (const service of services)
      this.#branches.set(service, await branchOf(service, this.#surroundings()));
  }

  plant(): RunningTree {
    const children = [...this.#branches.values()].map(({ spec }) => spec);
    const asks = this.#metrics.histogram("ask_seconds", "time from a question to an actor to its answer");
    this.tree = plantTree(() => ({ id: "root", strategy: "one_for_one", children }), {
      log: this.#log,
      onAsk: (_path, ms) => asks.observe(ms / 1_000),
      ...(this.#inspector && { inspect: this.#inspector.inspect }),
    });
    this.#inspector?.attach(this.tree);
    this.#metrics.counter("restarts", "restarts of children", () =>
      this.tree!.status().map(({ path, restarts }) => ({ labels: { child: path }, value: restarts })),
    );
    return this.tree;
  }

  /** Settles when every service has its addresses; a release is not called healthy before. */
  serves(): Promise<true> {
    const open = () => [...this.#branches.values()].every((branch) => branch.origins().length > 0);
    return statusWhen(this.tree!, open);
  }

  /** The one thing meant for a person: standard output, never the log. */
  greet(): void {
    const branches = [...this.#branches.values()];
    console.log(`\nMinaret ${manifest.version}\n`);
    showLines([...branches.flatMap((branch) => branch.lines()), ...(this.#inspector?.lines(branches) ?? [])]);
    for (const branch of branches) showSecrets(branch);
    if (!this.#config.limits) console.log("\n  Rate limits and login throttling are off.");
    console.log("\nready");
  }

  #surroundings(): Surroundings {
    return {
      config: this.#config,
      log: this.#log,
      metrics: this.#metrics,
      failures: (service) =>
        this.tree!.failures().filter(({ component }) => component.startsWith(`${service}/`)),
      watchFailures: (changed) => this.tree!.watchStatus(changed),
      rebuild: (service) => {
        this.#rebuild(service).catch((error: unknown) => {
          this.#log.fatal({ err: error }, `${service} could not be started again`);
          void this.tree!.drain(drainMs);
        });
      },
      upgrades: this.#inspector?.upgrades ?? new Map(),
      pages: this.#inspector?.pages ?? [],
      entityStep: this.#inspector?.hub.entityStep.bind(this.#inspector.hub),
    };
  }

  async #rebuild(service: ServiceName): Promise<void> {
    const tree = this.tree!;
    tree.removeChild(service);
    await statusWhen(tree, () => !tree.status().some(({ path }) => path === service));
    const branch = await branchOf(service, this.#surroundings());
    this.#branches.set(service, branch);
    tree.addChild("", branch.spec);
    showSecrets(branch);
    await this.serves();
    console.log();
    showLines(branch.lines());
    console.log("\nready");
  }
}

function statusWhen(tree: RunningTree, wanted: () => boolean): Promise<true> {
  return new Promise((resolve) => {
    const look = () => {
      if (!wanted()) return;
      ignore();
      resolve(true);
    };
    const ignore = tree.watchStatus(look);
    look();
  });
}

function showLines(lines: [label: string, text: string][]): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  for (const [label, text] of lines) console.log(`  ${label.padEnd(width)}  ${text}`);
}

function showSecrets(branch: Branch): void {
  for (const [label, text] of branch.secrets()) console.log(`\n  ${label}  ${text}`);
  branch.secretsShown();
}

async function branchOf(service: ServiceName, around: Surroundings): Promise<Branch> {
  if (service === "appliance") return (await import("./appliance-branch.ts")).applianceBranch(around);
  return (await import("./soc-branch.ts")).socBranch(around);
}

async function openInspector(config: Config, log: Logger) {
  if (config.inspector === "off") return undefined;
  return (await import("./inspector.ts")).openInspector(config.inspector, log);
}
