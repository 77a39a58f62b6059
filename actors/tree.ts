import type { AnyActorRef, AnyEventObject, EventObject, InspectionEvent } from "xstate";
import type { Logger } from "../drivers/log/log.ts";
import { DomainError } from "../machines/errors.ts";
import type { AskOptions, Client, Tree } from "./client.ts";
import type { CrashReport } from "./crash-report.ts";
import { type Supervisor, startSupervisor } from "./supervisor.ts";
import { Run } from "./supervisor-child.ts";
import {
  type AnySpec,
  type Board,
  type ChildState,
  isSupervisor,
  type SupervisorSpec,
  steadyClock,
  type TreeClock,
  type TreeEnv,
} from "./supervisor-spec.ts";
import { Entry } from "./tree-entry.ts";

export interface ChildStatus {
  path: string;
  state: ChildState;
  restarts: number;
  /** ISO 8601, UTC: since when it is in this state. */
  since: string;
  lastError: string | null;
}

/** Why the tree is no more: `code` is the process's exit code. */
export interface ExitReason {
  code: 0 | 1;
  reason: string;
}

/** The running tree as `main.ts` and the gateways hold it. */
export interface RunningTree extends Tree {
  status(): ChildStatus[];
  /** What does not run though it was meant to. */
  failures(): { component: string; error: string }[];
  watchStatus(listener: () => void): () => void;
  crashes(): readonly CrashReport[];
  /** Every live actor with its name, for the inspector; nobody else may hold these. */
  actors(): { path: string; ref: AnyActorRef }[];
  /** Stops everything, last started first. */
  drain(budgetMs?: number): Promise<ExitReason>;
  /** Settles when the tree has ended, whether asked to or not. */
  finished: Promise<ExitReason>;
  addChild(parent: string, spec: AnySpec): void;
  removeChild(path: string): void;
}

export interface TreeOptions {
  log: Logger;
  inspect?: (event: InspectionEvent, path: string) => void;
  clock?: TreeClock;
  random?: () => number;
  /** Hears how long each ask took, for the metrics. */
  onAsk?: (path: string, ms: number) => void;
}

const keptCrashes = 50;
const defaultBudgetMs = 5_000;

/** Starts the tree from top to bottom; resolves when every child was tried once. */
export async function startTree(spec: SupervisorSpec, options: TreeOptions): Promise<RunningTree> {
  const { log, clock = steadyClock, random = Math.random, onAsk } = options;
  const entries = new Map<string, Entry>();
  const supervisors = new Map<string, Supervisor>();
  const crashes: CrashReport[] = [];
  const listeners = new Set<() => void>();
  const finished = Promise.withResolvers<ExitReason>();
  const booted = Promise.withResolvers<void>();

  const entryOf = (path: string): Entry => {
    const found = entries.get(path);
    if (found !== undefined) return found;
    const made = new Entry(path, clock, (error) =>
      log.error({ child: path, err: error }, "a listener threw"),
    );
    entries.set(path, made);
    return made;
  };
  const below = (path: string) => [...entries.values()].filter((entry) => entry.path.startsWith(`${path}/`));
  const tell = () => {
    for (const listener of listeners) listener();
  };

  const board: Board = {
    up: (path, child) => entryOf(path).up(child),
    ended: (path) => entryOf(path).ended(),
    starting: (path) => {
      const entry = entryOf(path);
      entry.known = true;
      entry.starts += 1;
    },
    moved: (path, state, error) => {
      const entry = entryOf(path);
      entry.known = true;
      entry.moved(state, error);
      if (state === "degraded" || state === "stopped") {
        for (const each of below(path)) each.moved(state, error);
      }
      tell();
    },
    removed: (path) => {
      for (const each of [entryOf(path), ...below(path)]) {
        each.known = false;
        each.moved("stopped", null);
      }
      tell();
    },
    crashed: (report) => {
      const restarts = restartsOf(entryOf(report.path));
      crashes.push({ ...report, restarts });
      if (crashes.length > keptCrashes) crashes.shift();
      log.error({ crash: { ...report, restarts } }, `${report.path || "the tree"} failed: ${report.reason}`);
    },
  };

  const askOf = (entry: Entry) => {
    if (onAsk === undefined) return (command: AnyEventObject, how?: AskOptions) => entry.ask(command, how);
    return async (command: AnyEventObject, how?: AskOptions) => {
      const began = performance.now();
      try {
        return await entry.ask(command, how);
      } finally {
        onAsk(entry.path, performance.now() - began);
      }
    };
  };

  const clients = new Map<string, Client<EventObject, unknown>>();
  const tree: Tree = {
    client: (path) => {
      let client = clients.get(path);
      if (client === undefined) {
        const entry = entryOf(path);
        const ask = askOf(entry) as Client<EventObject, unknown>["ask"];
        client = { ask, view: () => entry.view(), watch: (listener) => entry.watch(listener) };
        clients.set(path, client);
      }
      return client as never;
    },
  };

  const env: TreeEnv = { tree, board, log, clock, random, inspect: options.inspect };
  const register = (path: string, supervisor: Supervisor | null) => {
    if (supervisor === null) supervisors.delete(path);
    else supervisors.set(path, supervisor);
  };
  for (const path of pathsOf(spec, "")) {
    const entry = entryOf(path);
    entry.known = true;
    entry.moved("starting", null);
  }

  let reason: ExitReason = { code: 0, reason: "drained" };
  const root = new Run(
    {
      path: "",
      start: startSupervisor(spec, env, register),
      startMs: Number.POSITIVE_INFINITY,
      shutdownMs: Number.POSITIVE_INFINITY,
    },
    env,
    {
      up: () => booted.resolve(),
      ended: (end) => {
        if (end.failed) reason = { code: 1, reason: end.error };
      },
      closed: () => {
        finished.resolve(reason);
        booted.resolve();
      },
    },
  );
  root.start();
  await booted.promise;
  return {
    ...tree,
    finished: finished.promise,
    status: () => [...entries.values()].filter(isListed).map(statusOf),
    failures: () =>
      [...entries.values()]
        .filter((entry) => isListed(entry) && entry.error !== null && entry.state !== "running")
        .map((entry) => ({ component: entry.path, error: entry.error! })),
    crashes: () => crashes,
    actors: () =>
      [...entries.values()].flatMap(({ path, child }) =>
        child === undefined ? [] : [{ path, ref: child.ref }],
      ),
    watchStatus: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    drain: (budgetMs = defaultBudgetMs) => {
      void root.stop(clock.now() + budgetMs);
      return finished.promise;
    },
    addChild: (parent, child) => {
      const supervisor = supervisors.get(parent);
      if (supervisor === undefined) throw new DomainError("unavailable", `There is no supervisor ${parent}`);
      supervisor.add(child);
    },
    removeChild: (path) => {
      const cut = path.lastIndexOf("/");
      const supervisor = supervisors.get(path.slice(0, Math.max(0, cut)));
      const id = path.slice(cut + 1);
      if (!supervisor?.has(id)) throw new DomainError("not_found", `There is no ${path}`);
      supervisor.remove(id);
    },
  };
}

/** The root itself is nobody's child. */
function isListed(entry: Entry): boolean {
  return entry.known && entry.path !== "";
}

function restartsOf(entry: Entry): number {
  return Math.max(0, entry.starts - 1);
}

function statusOf(entry: Entry): ChildStatus {
  return {
    path: entry.path,
    state: entry.state,
    restarts: restartsOf(entry),
    since: new Date(entry.since).toISOString(),
    lastError: entry.error,
  };
}

function pathsOf(spec: SupervisorSpec, prefix: string): string[] {
  return spec.children.flatMap((child) => {
    const path = `${prefix}${child.id}`;
    return isSupervisor(child) ? [path, ...pathsOf(child, `${path}/`)] : [path];
  });
}
