import type { AnyActorRef, AnyEventObject, InspectionEvent } from "xstate";
import { redacted } from "./redact.ts";

/** What is left of an actor that ended abnormally. */
export interface CrashReport {
  path: string;
  reason: string;
  stack: string | undefined;
  /** The state's value when it fell; undefined when it never came up. */
  state: unknown;
  /** The last events it took, oldest first, secrets redacted. */
  events: AnyEventObject[];
  restarts: number;
  /** ISO 8601, UTC. */
  at: string;
}

const kept = 20;

/** The last events of one actor; holds references only, so that an event costs a few nanoseconds. */
export class EventRing {
  readonly #events: AnyEventObject[] = [];
  #next = 0;

  push(event: AnyEventObject): void {
    this.#events[this.#next] = event;
    this.#next = (this.#next + 1) % kept;
  }

  list(): AnyEventObject[] {
    return [...this.#events.slice(this.#next), ...this.#events.slice(0, this.#next)];
  }
}

/** Notes what the root of an actor system takes; its children's events are their parent's affair. */
export function noteEvent(ring: EventRing, inspected: InspectionEvent): void {
  if (inspected.type !== "@xstate.event") return;
  if (inspected.actorRef.sessionId === inspected.rootId) ring.push(inspected.event);
}

/** In words, with what is behind it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : `unknown error (${typeof error})`;
  const { cause, message, name } = error;
  return cause instanceof Error ? `${message || name}: ${messageOf(cause)}` : message || name;
}

export function crashReport(
  path: string,
  error: unknown,
  ref: AnyActorRef | undefined,
  ring: EventRing,
): Omit<CrashReport, "restarts"> {
  return {
    path,
    reason: messageOf(error),
    stack: error instanceof Error ? error.stack : undefined,
    state: ref?.getSnapshot()?.value,
    events: ring.list().map((event) => redacted(event) as AnyEventObject),
    at: new Date().toISOString(),
  };
}
