import type { EventObject } from "xstate";
import { redacted } from "../../actors/redact.ts";

/** What a viewer asks for. */
export type Request =
  | { type: "speak-xstate4" }
  | { type: "send"; sessionId: string; event: EventObject }
  | { type: "nonsense" };

/** A frame from a viewer of either protocol; whatever it holds, it never throws. */
export function requestOf(frame: string): Request {
  const message = parsed(frame);
  if (message?.type === "xstate.inspecting") return { type: "speak-xstate4" };
  if (message?.type !== "xstate.event" && message?.type !== "@xstate.event") return { type: "nonsense" };
  const outer = typeof message.event === "string" ? parsed(message.event) : record(message.event);
  const event = outer?.$$type === "scxml" ? record(outer.data) : outer;
  const sessionId = message.service ?? message.sessionId ?? outer?.origin;
  if (typeof event?.type !== "string" || typeof sessionId !== "string") return { type: "nonsense" };
  return { type: "send", sessionId, event: event as { type: string } };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> | undefined {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  return plain ? (value as Record<string, unknown>) : undefined;
}

/** What the audit keeps of a hand-sent event. */
export interface SentEvent {
  /** The path of the actor, or `<kind>/<id>` of an entity. */
  target: string;
  event: unknown;
  /** Why it was not taken; null when it was. */
  error: string | null;
}

export function sentEvent(target: string, event: EventObject, error: string | null): SentEvent {
  return { target, event: redacted(event), error };
}
