import type { AnyActorRef, AnyEventObject, EventObject, InspectionEvent } from "xstate";
import type { Logger } from "../drivers/log/log.ts";
import { DomainError } from "../machines/errors.ts";
import type { AskOptions, Client, Tree } from "./client.ts";
import type { CrashReport } from "./crash-report.ts";
import { type Supervisor, startSupervisor } from "./supervisor.ts";
import { Run } from "./supervisor-child.ts";
import {
  type AnySpec,
  isSupervisor,
  type SupervisorSpec,
  steadyClock,
  type TreeClock,
} from "./supervisor-spec.ts";
import { type ChildStatus, TreeBoard } from "./tree-board.ts";
import type { Entry } from "./tree-entry.ts";

/** Why the tree is no more: `code` is the process's exit code. */
interface ExitReason {
  code: 0 | 1;
  reason: string;
}

/** The running tree as `main.ts` and the gateways hold it. */
export interface RunningTree extends Tree {
  status(): ChildStatus[];
  /** What does not run though it was meant to. */
  failures(): { component: string; error: string }[];
  watchStatus(listener: () => void): () => void;
  /** The last fifty, oldest first. */
  crashes(): readonly CrashReport[];
  /** Every live actor with its name, for the inspector; nobody else may hold these. */
  actors(): { path: string; ref: AnyActorRef }[];
  /** Stops everything, last started first, all within the budget; 5 s when left out. */
  drain(budgetMs?: number): Promise<ExitReason>;
  /** Settles when every child was tried once. */
  booted: Promise<void>;
  /** Settles when the tree has ended, whether asked to or not. */
  finished: Promise<ExitReason>;
  /** `parent` is a supervisor's path, `""` the root's. */
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

const defaultBudgetMs = 5_000;

/** Starts the tree from top to bottom; resolves when every child was tried once. */
export async function startTree(spec: SupervisorSpec, options: TreeOptions): Promise<RunningTree> {
  const tree = plantTree(() => spec, options);
  await tree.booted;
  return tree;
}

/** The tree at once, while it still starts: for children that show its status, and for a signal during the boot. */
export function plantTree(specOf: (tree: RunningTree) => SupervisorSpec, options: TreeOptions): RunningTree {
  const { log, clock = steadyClock, random = Math.random } = options;
  const board = new TreeBoard(log, clock);
  const supervisors = new Map<string, Supervisor>();
  const finished = Promise.withResolvers<ExitReason>();
  const booted = Promise.withResolvers<void>();

  const supervisorOf = (path: string): Supervisor => {
    const found = supervisors.get(path);
    if (found === undefined) throw new DomainError("unavailable", `There is no supervisor ${path}`);
    return found;
  };

  const tree: RunningTree = {
    client: clientsOf(board, options.onAsk),
    booted: booted.promise,
    finished: finished.promise,
    status: () => board.status(),
    failures: () =>
      board
        .listed()
        .filter((entry) => entry.error !== null)
        .map((entry) => ({ component: entry.path, error: entry.error! })),
    crashes: () => board.crashes,
    actors: () =>
      [board.entry(""), ...board.listed()].flatMap(({ path, child }) =>
        child === undefined ? [] : [{ path, ref: child.ref }],
      ),
    watchStatus: (listener) => board.watch(listener),
    drain: (budgetMs = defaultBudgetMs) => {
      void root.stop(clock.now() + budgetMs);
      return finished.promise;
    },
    addChild: (parent, spec) => supervisorOf(parent).add(spec),
    removeChild: (path) => {
      const cut = path.lastIndexOf("/");
      const supervisor = supervisorOf(path.slice(0, Math.max(0, cut)));
      const id = path.slice(cut + 1);
      if (!supervisor.has(id)) throw new DomainError("not_found", `There is no ${path}`);
      supervisor.remove(id);
    },
  };

  const spec = specOf(tree);
  for (const path of pathsOf(spec, "")) board.expect(path);
  const env = { tree, board, log, clock, random, inspect: options.inspect };
  const register = (path: string, supervisor: Supervisor | null) => {
    if (supervisor === null) supervisors.delete(path);
    else supervisors.set(path, supervisor);
  };
  let exit: ExitReason = { code: 0, reason: "drained" };
  const forever = Number.POSITIVE_INFINITY;
  const root = new Run(
    {
      path: "",
      nested: true,
      start: startSupervisor(spec, env, register),
      startMs: forever,
      shutdownMs: forever,
    },
    env,
    {
      up: () => booted.resolve(),
      ended: (end) => {
        if (end.failed) exit = { code: 1, reason: end.error };
      },
      closed: () => {
        finished.resolve(exit);
        booted.resolve();
      },
    },
  );
  root.start();
  return tree;
}

function clientsOf(board: TreeBoard, onAsk: TreeOptions["onAsk"]): Tree["client"] {
  const clients = new Map<string, Client<EventObject, unknown>>();
  return (path) => {
    let client = clients.get(path);
    if (client === undefined) {
      const entry = board.entry(path);
      const ask = askOf(entry, onAsk) as Client<EventObject, unknown>["ask"];
      client = { ask, view: () => entry.view(), watch: (listener) => entry.watch(listener) };
      clients.set(path, client);
    }
    return client as never;
  };
}

function askOf(entry: Entry, onAsk: TreeOptions["onAsk"]) {
  if (onAsk === undefined) return (command: AnyEventObject, how?: AskOptions) => entry.ask(command, how);
  return async (command: AnyEventObject, how?: AskOptions) => {
    const began = performance.now();
    try {
      return await entry.ask(command, how);
    } finally {
      onAsk(entry.path, performance.now() - began);
    }
  };
}

function pathsOf(spec: SupervisorSpec, prefix: string): string[] {
  return spec.children.flatMap((child) => {
    const path = `${prefix}${child.id}`;
    return isSupervisor(child) ? [path, ...pathsOf(child, `${path}/`)] : [path];
  });
}
