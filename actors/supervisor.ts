import { createActor, waitFor } from "xstate";
import { DomainError } from "../machines/errors.ts";
import type { Start } from "./client.ts";
import { type Readying, Run } from "./supervisor-child.ts";
import { supervisorMachine } from "./supervisor-machine.ts";
import { type Phase, type Slot, slotOf } from "./supervisor-slots.ts";
import {
  type AnySpec,
  type ChildState,
  isSupervisor,
  type SupervisorSpec,
  type TreeEnv,
} from "./supervisor-spec.ts";

/** A running supervisor: its actor, and the way to change its children. */
export interface Supervisor extends Readying {
  add(spec: AnySpec): void;
  remove(id: string): void;
  has(id: string): boolean;
}

const defaults = { intensity: 5, periodMs: 5_000, startMs: 10_000, shutdownMs: 5_000 };

/** Makes the start function of a supervisor, so that it is a child like any other. */
export function startSupervisor(
  spec: SupervisorSpec,
  env: TreeEnv,
  register: (path: string, supervisor: Supervisor | null) => void,
): Start {
  return ({ path, inspect }) => {
    const specs = new Map(spec.children.map((child) => [child.id, child]));
    const runs = new Map<string, Run>();
    const below = (id: string) => (path === "" ? id : `${path}/${id}`);

    const startChild = (id: string) => {
      const child = specs.get(id);
      if (child === undefined) return;
      const nested = isSupervisor(child);
      const run = new Run(
        {
          path: below(id),
          nested,
          start: nested ? startSupervisor(child, env, register) : child.start,
          startMs: nested ? Number.POSITIVE_INFINITY : (child.startMs ?? defaults.startMs),
          shutdownMs: child.shutdownMs ?? (nested ? Number.POSITIVE_INFINITY : defaults.shutdownMs),
        },
        env,
        {
          up: () => ref.send({ type: "CHILD_UP", id }),
          ended: (end) => ref.send({ type: "CHILD_ENDED", id, ...end }),
          closed: () => ref.send({ type: "CHILD_CLOSED", id }),
        },
      );
      runs.set(id, run);
      run.start();
    };

    const machine = supervisorMachine.provide({
      actions: {
        startChild: (_, { id }) => startChild(id),
        stopChild: (_, { id, deadline }) => void runs.get(id)?.stop(deadline ?? Number.POSITIVE_INFINITY),
      },
    });
    const policy = {
      strategy: spec.strategy,
      intensity: spec.intensity ?? defaults.intensity,
      periodMs: spec.periodMs ?? defaults.periodMs,
    };
    const slots = spec.children.map((child) => slotOf(child, false));
    const ref = createActor(machine, {
      input: { slots, policy, now: () => env.clock.now(), random: env.random },
      clock: env.clock,
      id: path || "root",
      inspect,
    });

    let shown: readonly Slot[] = [];
    ref.subscribe({
      next: (snapshot) => {
        const now = snapshot.context.slots;
        if (now === shown) return;
        const before = new Map(shown.map((slot) => [slot.id, slot]));
        shown = now;
        const falls = snapshot.matches("failing");
        for (const slot of now) {
          if (before.get(slot.id) !== slot) env.board.moved(below(slot.id), stateOf(slot, falls), slot.error);
          before.delete(slot.id);
        }
        for (const id of before.keys()) env.board.removed(below(id));
      },
      error: () => register(path, null),
      complete: () => register(path, null),
    });

    const ready = waitFor(ref, (snapshot) => snapshot.matches({ supervising: "running" }));
    ready.catch(() => {}); // who awaits it hears of it; a supervisor that is stopped at once is awaited by nobody
    const supervisor: Supervisor = {
      ref,
      ready,
      has: (id) => ref.getSnapshot().context.slots.some((slot) => slot.id === id),
      add: (child) => {
        if (supervisor.has(child.id)) throw new DomainError("conflict", `${below(child.id)} exists already`);
        if (!ref.getSnapshot().matches("supervising"))
          throw new DomainError("unavailable", `${path} is going down`);
        specs.set(child.id, child);
        ref.send({ type: "ADD_CHILD", slot: slotOf(child, true) });
      },
      remove: (id) => ref.send({ type: "REMOVE_CHILD", id }),
    };
    ref.start();
    register(path, supervisor);
    return supervisor;
  };
}

const states: Record<Phase, ChildState> = {
  due: "restarting",
  starting: "restarting",
  held: "restarting",
  waiting: "restarting",
  ending: "restarting",
  doomed: "restarting",
  running: "running",
  degraded: "degraded",
  stopped: "stopped",
};

function stateOf(slot: Slot, falls: boolean): ChildState {
  if (falls) return "restarting";
  // A degraded child that is being tried again is still degraded to those who ask for it.
  if (slot.retries > 0 && slot.phase !== "running" && slot.phase !== "stopped") return "degraded";
  if (slot.phase === "ending" && (slot.next === "stopped" || slot.next === "gone")) return "stopped";
  if (!slot.tried && slot.phase !== "stopped") return "starting";
  return states[slot.phase];
}
