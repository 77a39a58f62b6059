import { type Backoff, restartBackoff, restartDelay, retryDelay } from "./backoff.ts";
import { type AnySpec, isSupervisor, type Restart, type Strategy } from "./supervisor-spec.ts";

/** What a supervisor knows of one child; all its decisions are functions of these. */
export interface Slot {
  readonly id: string;
  readonly restart: Restart;
  readonly essential: boolean;
  readonly backoff: Backoff;
  /** Added while running; forgotten when it ends for good. */
  readonly dynamic: boolean;
  readonly phase: Phase;
  /** Where an incarnation that is on its way out leads. */
  readonly next: Next;
  /** Holds up the siblings after it until it is up. */
  readonly holds: boolean;
  /** Was tried at least once. */
  readonly tried: boolean;
  /** Abnormal ends since the last quiet time. */
  readonly failures: number;
  /** Failed starts in a row. */
  readonly unstarted: number;
  /** When it ended, within the longest window. */
  readonly history: readonly number[];
  /** Tries since it became degraded. */
  readonly retries: number;
  readonly upSince: number;
  readonly delayMs: number;
  readonly error: string | null;
}

/**
 * due: wants its turn to start. doomed: up, wants its turn to be stopped. ending: on its way out, not closed yet.
 * held: waits for a sibling's restart. waiting: for its own.
 */
export type Phase =
  | "due"
  | "starting"
  | "running"
  | "doomed"
  | "ending"
  | "held"
  | "waiting"
  | "degraded"
  | "stopped";
type Next = "due" | "held" | "waiting" | "degraded" | "stopped" | "gone";

export interface Policy {
  strategy: Strategy;
  intensity: number;
  periodMs: number;
}

/** An essential child may fail so slowly that the window never fills: this second, wide one catches it. */
const wide = { times: 4, periods: 120 };

export interface End {
  failed: boolean;
  error: string;
}

/** A child that was never tried. */
export function slotOf(spec: AnySpec, dynamic: boolean): Slot {
  return {
    id: spec.id,
    restart: isSupervisor(spec) ? "permanent" : spec.restart,
    essential: spec.essential ?? isSupervisor(spec),
    backoff: { ...restartBackoff, ...spec.backoff },
    dynamic,
    phase: "due",
    next: "due",
    holds: false,
    tried: false,
    failures: 0,
    unstarted: 0,
    history: [],
    retries: 0,
    upSince: 0,
    delayMs: 0,
    error: null,
  };
}

export function put(slots: readonly Slot[], changed: Slot): Slot[] {
  return slots.map((slot) => (slot.id === changed.id ? changed : slot));
}

/** The child's end, decided: again, later, degraded, never, or too much (`escalate`). */
export function afterEnd(
  slots: readonly Slot[],
  id: string,
  end: End,
  policy: Policy,
  now: number,
  random: () => number,
): { slots: readonly Slot[]; escalate: string | null } {
  const slot = slots.find((each) => each.id === id);
  if (slot?.phase === "doomed") return { slots: put(slots, { ...slot, phase: "ending" }), escalate: null };
  if (slot?.phase !== "starting" && slot?.phase !== "running") return { slots, escalate: null };
  const ending = { ...slot, phase: "ending", tried: true, error: end.error } as const;
  if (slot.restart === "temporary" || (slot.restart === "transient" && !end.failed)) {
    const error = end.failed ? end.error : null;
    const next = slot.dynamic ? "gone" : "stopped";
    return { slots: put(slots, { ...ending, next, error }), escalate: null };
  }
  const counted = count(ending, slot.phase === "running", policy, now);
  if (tooMany(counted, policy, now)) {
    if (slot.essential) return { slots: put(slots, { ...counted, next: "stopped" }), escalate: end.error };
    return { slots: takeAlong(slots, slot, degraded(counted, random), policy.strategy), escalate: null };
  }
  if (counted.retries > 0) return { slots: put(slots, degraded(counted, random)), escalate: null };
  const delayMs = restartDelay(counted.failures, slot.backoff, random);
  const again: Slot = { ...counted, failures: counted.failures + 1, next: "waiting", delayMs };
  return { slots: takeAlong(slots, slot, again, policy.strategy), escalate: null };
}

function count(slot: Slot, wasUp: boolean, policy: Policy, now: number): Slot {
  const quiet = wasUp && now - slot.upSince >= slot.backoff.quietMs;
  const history = [...slot.history.filter((at) => at > now - policy.periodMs * wide.periods), now];
  return {
    ...slot,
    history,
    failures: quiet ? 0 : slot.failures,
    retries: quiet ? 0 : slot.retries,
    unstarted: wasUp ? 0 : slot.unstarted + 1,
  };
}

function tooMany(slot: Slot, policy: Policy, now: number): boolean {
  const recent = slot.history.filter((at) => at > now - policy.periodMs).length;
  if (recent > policy.intensity || slot.unstarted > policy.intensity) return true;
  return slot.essential && slot.history.length > policy.intensity * wide.times;
}

function degraded(slot: Slot, random: () => number): Slot {
  const delayMs = retryDelay(slot.retries, random);
  return {
    ...slot,
    next: "degraded",
    delayMs,
    retries: slot.retries + 1,
    failures: 0,
    unstarted: 0,
    history: [],
  };
}

/** The strategy: which siblings go down with a child that was up, to come back after it. */
function takeAlong(slots: readonly Slot[], before: Slot, after: Slot, strategy: Strategy): Slot[] {
  const index = slots.findIndex((slot) => slot.id === after.id);
  return slots.map((slot, at) => {
    if (at === index) return after;
    if (strategy === "one_for_one" || (strategy === "rest_for_one" && at < index)) return slot;
    if (before.phase === "running") return take(slot);
    // A start that failed takes nobody down; those behind an essential one wait for it.
    return before.essential && at > index && slot.phase === "due" ? { ...slot, phase: "held" } : slot;
  });
}

function take(slot: Slot): Slot {
  const never = slot.restart === "temporary";
  if (slot.phase === "running" || slot.phase === "starting") {
    return { ...slot, phase: "doomed", next: never ? (slot.dynamic ? "gone" : "stopped") : "held" };
  }
  // As in OTP, a transient child that had ended comes back with its group.
  if (slot.phase === "stopped") return never ? slot : { ...slot, phase: "held" };
  if (slot.phase === "due" || slot.phase === "waiting" || slot.phase === "held") {
    return { ...slot, phase: "held" };
  }
  if (slot.phase === "ending" && slot.next !== "degraded" && slot.next !== "gone" && !never) {
    return { ...slot, next: "held" };
  }
  return slot;
}

/** The incarnation has let go of everything. */
export function afterClose(slots: readonly Slot[], id: string): readonly Slot[] {
  const slot = slots.find((each) => each.id === id);
  if (slot?.phase !== "ending") return slots;
  if (slot.next === "gone") return slots.filter((each) => each !== slot);
  if (slot.next === "waiting" && slot.delayMs === 0) return afterWait(slots, slot);
  return put(slots, { ...slot, phase: slot.next });
}

/** Its time has come. */
export function afterWait(slots: readonly Slot[], slot: Slot): readonly Slot[] {
  return put(slots, { ...slot, phase: "due" });
}

export function afterUp(slots: readonly Slot[], id: string, now: number): readonly Slot[] {
  const slot = slots.find((each) => each.id === id);
  if (slot?.phase !== "starting") return slots;
  return put(slots, {
    ...slot,
    phase: "running",
    tried: true,
    holds: false,
    upSince: now,
    unstarted: 0,
    error: null,
  });
}

/** Asked to leave for good. */
export function leave(slot: Slot, next: "stopped" | "gone"): Slot {
  if (slot.phase === "running" || slot.phase === "starting") return { ...slot, phase: "doomed", next };
  if (slot.phase === "ending" || slot.phase === "doomed") return { ...slot, next };
  return { ...slot, phase: "stopped", next };
}

/** Gives turns: stops from last to first, one at a time; starts from first to last. */
export function settle(slots: readonly Slot[], strategy: Strategy): readonly Slot[] {
  return startDue(release(stopLast(slots)), strategy);
}

function stopLast(slots: readonly Slot[]): readonly Slot[] {
  const last = slots.findLast((slot) => slot.phase === "doomed");
  if (last === undefined || slots.some((slot) => slot.phase === "ending")) return slots;
  return put(slots, { ...last, phase: "ending" });
}

/** Nobody is waited for any more: those that were held for it come after it. */
function release(slots: readonly Slot[]): readonly Slot[] {
  const waits = ({ phase, next }: Slot) => phase === "waiting" || (phase === "ending" && next === "waiting");
  if (slots.some(waits)) return slots;
  return slots.map((slot) => (slot.phase === "held" ? { ...slot, phase: "due" } : slot));
}

function startDue(slots: readonly Slot[], strategy: Strategy): readonly Slot[] {
  if (strategy === "one_for_one") {
    let held = false;
    return slots.map((slot) => {
      const starts = slot.phase === "due" && (slot.tried || !held);
      const next: Slot = starts ? { ...slot, phase: "starting", holds: !slot.tried } : slot;
      held ||= next.holds && next.phase === "starting";
      return next;
    });
  }
  const moving = slots.some((slot) => ["starting", "doomed", "ending"].includes(slot.phase));
  const first = slots.find((slot) => slot.phase === "due");
  return moving || first === undefined ? slots : put(slots, { ...first, phase: "starting", holds: false });
}
