import type { AnyEventObject } from "xstate";
import { redacted } from "../../actors/redact.ts";
import { chartOf } from "./chart.ts";
import type { Seen, SeenSnapshot } from "./seen.ts";

/** One way of speaking with a viewer. Each message is text, ready to be sent; null where there is none for it. */
export interface Protocol {
  actor(seen: Seen, snapshot: SeenSnapshot): string | null;
  event(seen: Seen, event: AnyEventObject, sourceId: string | undefined): string | null;
  snapshot(seen: Seen, snapshot: SeenSnapshot, event: AnyEventObject): string | null;
  stop(seen: Seen): string | null;
}

// The version whose receivers the tests drive.
const statelyVersion = "0.7.2";

function stamp(seen: Seen) {
  const { sessionId, rootId } = seen;
  return { sessionId, rootId, id: null, createdAt: Date.now().toString(), _version: statelyVersion };
}

/** `@statelyai/inspect`: today's tools, and our own page. */
export const stately: Protocol = {
  actor: (seen, snapshot) =>
    JSON.stringify({
      type: "@xstate.actor",
      name: seen.name,
      parentId: seen.parentId,
      definition: JSON.stringify(seen.machine === undefined ? { id: seen.name } : chartOf(seen.machine, 5)),
      snapshot: redacted(snapshot),
      ...stamp(seen),
    }),
  event: (seen, event, sourceId) =>
    JSON.stringify({ type: "@xstate.event", event: redacted(event), sourceId, ...stamp(seen) }),
  snapshot: (seen, snapshot, event) =>
    JSON.stringify({
      type: "@xstate.snapshot",
      snapshot: redacted(snapshot),
      event: redacted(event),
      ...stamp(seen),
    }),
  stop: (seen) =>
    JSON.stringify({
      type: "@xstate.snapshot",
      snapshot: { status: "stopped" },
      event: { type: "xstate.stop" },
      ...stamp(seen),
    }),
};

function scxml(event: AnyEventObject, origin?: string) {
  return { name: event.type, data: redacted(event), $$type: "scxml", type: "external", origin };
}

/** A state as XState 4 restores it from JSON. */
function state4(seen: Seen, snapshot: SeenSnapshot, event: AnyEventObject) {
  return JSON.stringify({
    value: snapshot.value,
    context: redacted(snapshot.context),
    event: redacted(event),
    _event: scxml(event),
    _sessionid: seen.sessionId,
    actions: [],
    activities: {},
    meta: {},
    events: [],
    transitions: [],
    children: {},
    configuration: [],
    done: snapshot.status !== "active",
    tags: snapshot.tags ?? [],
    changed: true,
  });
}

/** `@xstate/inspect`, which knows charts of XState 4 only: payloads are JSON inside JSON. */
export const xstate4: Protocol = {
  actor: (seen, snapshot) => {
    if (seen.machine === undefined) return null;
    return JSON.stringify({
      type: "service.register",
      machine: JSON.stringify({
        ...chartOf(seen.machine, 4),
        context: redacted(snapshot.context),
        predictableActionArguments: true,
      }),
      state: state4(seen, snapshot, { type: "xstate.init" }),
      id: seen.name,
      sessionId: seen.sessionId,
      parent: seen.parentId,
    });
  },
  event: (seen, event, sourceId) => {
    if (seen.machine === undefined) return null;
    const text = JSON.stringify(scxml(event, sourceId));
    return JSON.stringify({ type: "service.event", event: text, sessionId: seen.sessionId });
  },
  snapshot: (seen, snapshot, event) => {
    if (seen.machine === undefined) return null;
    return JSON.stringify({
      type: "service.state",
      state: state4(seen, snapshot, event),
      sessionId: seen.sessionId,
    });
  },
  stop: (seen) =>
    seen.machine === undefined ? null : JSON.stringify({ type: "service.stop", sessionId: seen.sessionId }),
};
