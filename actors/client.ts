import type { AnyActorRef, EventObject, InspectionEvent } from "xstate";
import type { Logger } from "../drivers/log/log.ts";
import type { Refusal } from "../machines/errors.ts";

/** What a machine emits for a command that had to wait for the world: each caller hears of its own, by `id`. */
export type Answer =
  | { type: "settled"; id: string; reply?: unknown }
  | { type: "failed"; id: string; refusal: Refusal };

/** How to speak with a live actor: why it refuses, what it shows, and which commands it answers later. */
export interface Speech<TSnapshot, TCommand extends EventObject, TView> {
  refusalOf(snapshot: TSnapshot, command: TCommand): Refusal | null;
  /** Called once per snapshot; a raw snapshot never leaves the process. */
  viewOf(snapshot: TSnapshot): TView;
  /** Commands that get an `id` and are answered by the emitted `Answer`; all others by the view at once. */
  waits: readonly TCommand["type"][];
}

/** A running child: its actor, how to speak with it, and how to let go of what it holds. */
export interface Child {
  ref: AnyActorRef;
  // biome-ignore lint/suspicious/noExplicitAny: the tree is type-erased; `Client` gives the types back
  speech?: Speech<any, any, any>;
  /** Called once, after the actor was stopped, however it ended. */
  close?(): void | Promise<void>;
}

/** What every child is started with. Siblings are resolved by name at each call, never held. */
export interface ChildContext {
  /** Where the child hangs, for example `appliance/playback`. */
  path: string;
  tree: Tree;
  log: Logger;
  /** Handed to `createActor`; undefined when the inspector is off. */
  inspect: ((event: InspectionEvent) => void) | undefined;
}

/** Gives the machine's effects a body and starts it. A throw here is a failed start. */
export type Start = (context: ChildContext) => Child | Promise<Child>;

export interface AskOptions {
  /** How long a command that waits for the world may take; 10 s when left out. */
  timeoutMs?: number;
}

/** A typed way to one named child that survives its restarts. `Replies` types the commands that wait. */
export interface Client<TCommand extends EventObject, TView, TReplies extends object = Record<never, never>> {
  ask<T extends TCommand["type"]>(
    command: Omit<Extract<TCommand, { type: T }>, "id"> & { type: T },
    options?: AskOptions,
  ): Promise<T extends keyof TReplies ? TReplies[T] : TView>;
  /** The view of this moment; while the child restarts, the last one it showed. Throws `unavailable` if there was none. */
  view(): TView;
  /** Hears each new view, across restarts; returns the way to stop listening. */
  watch(listener: (view: TView) => void): () => void;
}

/** The running tree as its children and the gateways see it. */
export interface Tree {
  client<TCommand extends EventObject, TView, TReplies extends object = Record<never, never>>(
    path: string,
  ): Client<TCommand, TView, TReplies>;
}
