import type { AnyEventObject, AnyStateMachine, EventObject } from "xstate";
import { messageOf } from "../../actors/crash-report.ts";
import type { RunningTree } from "../../actors/tree.ts";
import type { Seen } from "./seen.ts";

export interface DeliveryOptions {
  mode: "read" | "write";
  /** How an event reaches a stored entity; without it they are only shown. */
  tellEntity?: (kind: string, id: string, event: EventObject) => Promise<unknown>;
  /** What is wrong with a payload, for targets whose schema is known. */
  wrongWith?: (target: string, event: EventObject) => string | null;
}

/** Decided by people, each under their own name. */
const untouchable = new Set(["approval"]);

/** An event sent by hand: checked, then asked like any other. Resolves to why not, or null when it was taken. */
export async function deliver(
  options: DeliveryOptions,
  tree: RunningTree | undefined,
  seen: Seen | undefined,
  event: EventObject,
): Promise<string | null> {
  if (options.mode !== "write") return "The inspector is read-only";
  if (seen === undefined) return "There is no such actor";
  if (!isTaken(seen.machine, event.type)) return `${seen.name} takes no ${event.type}`;
  const wrong = options.wrongWith?.(seen.name, event) ?? null;
  if (wrong !== null) return wrong;
  try {
    return await (seen.ref === undefined ? tellEntity(options, seen, event) : tellActor(tree, seen, event));
  } catch (error) {
    return messageOf(error);
  }
}

/** By name only: neither a wildcard nor XState's own events are an invitation. */
function isTaken(machine: AnyStateMachine | undefined, type: string): boolean {
  if (machine === undefined || type.startsWith("xstate.") || type.includes("*")) return false;
  return machine.events.includes(type);
}

async function tellActor(
  tree: RunningTree | undefined,
  seen: Seen,
  event: EventObject,
): Promise<string | null> {
  const actor = tree?.actors().find(({ ref }) => ref === seen.ref);
  if (tree === undefined || actor === undefined) return `${seen.name} is no named actor of the tree`;
  await tree.client<AnyEventObject, unknown>(actor.path).ask(event as never);
  return null;
}

async function tellEntity(options: DeliveryOptions, seen: Seen, event: EventObject): Promise<string | null> {
  const cut = seen.name.indexOf("/");
  const kind = seen.name.slice(0, cut);
  if (untouchable.has(kind)) return "Approvals are decided by people, not from here";
  if (options.tellEntity === undefined) return "Entities are only shown";
  await options.tellEntity(kind, seen.name.slice(cut + 1), event);
  return null;
}
