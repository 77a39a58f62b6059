import type { InspectionEvent } from "xstate";
import type { Logger } from "../drivers/log/log.ts";
import type { Backoff } from "./backoff.ts";
import type { Child, Start, Tree } from "./client.ts";
import type { CrashReport } from "./crash-report.ts";

export type Strategy = "one_for_one" | "one_for_all" | "rest_for_one";
export type Restart = "permanent" | "transient" | "temporary";

/** A child as data, in OTP's words. */
export interface ChildSpec {
  id: string;
  start: Start;
  restart: Restart;
  /** Beyond the intensity it takes its supervisor with it; any other child becomes degraded. */
  essential?: boolean;
  /** What it may take to end after `{ type: "SHUTDOWN" }` and to close; 5 s when left out. */
  shutdownMs?: number;
  /** A start that takes longer has failed; 10 s when left out. */
  startMs?: number;
  /** For a child that is expected to die often. */
  backoff?: Partial<Backoff>;
}

/** A supervisor as data. Under another one it is a permanent child, essential unless it says otherwise. */
export interface SupervisorSpec {
  id: string;
  strategy: Strategy;
  /** More abnormal ends of one child than this within `periodMs` are too many; 5 within 5 s when left out. */
  intensity?: number;
  periodMs?: number;
  essential?: boolean;
  shutdownMs?: number;
  backoff?: Partial<Backoff>;
  children: readonly AnySpec[];
}

export type AnySpec = ChildSpec | SupervisorSpec;

export function isSupervisor(spec: AnySpec): spec is SupervisorSpec {
  return "children" in spec;
}

export type ChildState = "starting" | "running" | "restarting" | "degraded" | "stopped";

/** `SimulatedClock` is one, too. `now` only grows, in milliseconds. */
export interface TreeClock {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: XState's own clock type; an id is whatever setTimeout gave
  clearTimeout(id: any): void;
}

// Setting the system's clock must neither stretch nor empty a sliding window.
export const steadyClock: TreeClock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (id) => clearTimeout(id),
};

/** Where supervisors report to; the tree answers asks from it. */
export interface Board {
  up(path: string, child: Child): void;
  /** Asks in flight are answered at once. */
  ended(path: string): void;
  moved(path: string, state: ChildState, error: string | null): void;
  starting(path: string): void;
  removed(path: string): void;
  crashed(report: Omit<CrashReport, "restarts">): void;
}

/** What all supervisors of one tree share. */
export interface TreeEnv {
  tree: Tree;
  board: Board;
  log: Logger;
  clock: TreeClock;
  random: () => number;
  inspect: ((event: InspectionEvent, path: string) => void) | undefined;
}
