import { type AnyActorRef, type AnyStateMachine, StateMachine } from "xstate";
import type { RunningTree } from "../../actors/tree.ts";

/** What is shown of an actor, whatever it is: a live one, or a stored entity at one step. */
export interface Seen {
  sessionId: string;
  /** The path in the tree, or the kind and id of an entity. */
  name: string;
  parentId: string | undefined;
  rootId: string;
  machine: AnyStateMachine | undefined;
  /** Undefined for an entity, of which nothing lives between two steps. */
  ref: AnyActorRef | undefined;
}

/** The part of a snapshot that viewers understand. */
export interface SeenSnapshot {
  status: string;
  value?: unknown;
  context?: unknown;
  output?: unknown;
  error?: unknown;
  tags?: string[];
}

type Actors = ReturnType<RunningTree["actors"]>;

/** Each child is a system of its own; under its supervisor's session viewers show one tree. */
export function seenOf(actors: Actors, ref: AnyActorRef, path: string, rootId: string): Seen {
  const sessionAt = (where: string) => actors.find((actor) => actor.path === where)?.ref.sessionId;
  const isRoot = ref.sessionId === rootId;
  const name = path || "root";
  const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  return {
    sessionId: ref.sessionId,
    name: isRoot ? name : `${name}#${ref.id}`,
    parentId: isRoot ? (path === "" ? undefined : sessionAt(above)) : (parentOf(ref) ?? rootId),
    rootId: sessionAt("") ?? rootId,
    machine: "logic" in ref && ref.logic instanceof StateMachine ? ref.logic : undefined,
    ref,
  };
}

/** Every live actor of the tree, parents before their children. */
export function* everyActor(actors: Actors): Generator<{ seen: Seen; shot: SeenSnapshot }> {
  for (const { path, ref } of actors) yield* family(actors, ref, path, ref.sessionId);
}

function* family(
  actors: Actors,
  ref: AnyActorRef,
  path: string,
  rootId: string,
): Generator<{ seen: Seen; shot: SeenSnapshot }> {
  const snapshot = ref.getSnapshot();
  if (snapshot?.status !== "active") return;
  yield { seen: seenOf(actors, ref, path, rootId), shot: shotOf(snapshot) };
  for (const child of Object.values<AnyActorRef | undefined>(snapshot.children ?? {})) {
    if (child !== undefined) yield* family(actors, child, path, rootId);
  }
}

function parentOf(ref: object): string | undefined {
  return "_parent" in ref ? (ref._parent as AnyActorRef | undefined)?.sessionId : undefined;
}

export function shotOf(snapshot: unknown): SeenSnapshot {
  if (typeof snapshot !== "object" || snapshot === null) return { status: "active" };
  const { status, value, context, output, error, tags } = snapshot as Record<string, unknown>;
  return {
    status: String(status ?? "active"),
    value,
    context,
    output,
    error,
    ...(tags instanceof Set ? { tags: [...tags].map(String) } : {}),
  };
}
