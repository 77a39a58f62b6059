import type { AnyActorRef, InspectionEvent } from "xstate";
import type { Child, ChildContext, Start } from "./client.ts";
import { crashReport, EventRing, messageOf, noteEvent } from "./crash-report.ts";
import type { End } from "./supervisor-slots.ts";
import type { TreeEnv } from "./supervisor-spec.ts";

/** What a supervisor hears of an incarnation: `up` or not, then `ended`, then `closed`, each at most once. */
export interface RunEvents {
  up(): void;
  ended(end: End): void;
  closed(): void;
}

export interface RunSpec {
  path: string;
  start: Start;
  startMs: number;
  shutdownMs: number;
  /** A supervisor holds its own children to the deadline, and must not be cut off before it has closed them. */
  nested: boolean;
}

/** A child that is there, and may be told to end, before it is ready: a supervisor that still boots. */
export interface Readying extends Child {
  ready?: Promise<unknown>;
}

/** One incarnation of a child, from its start to the last thing it holds. */
export class Run {
  readonly #spec: RunSpec;
  readonly #env: TreeEnv;
  readonly #on: RunEvents;
  readonly #ring = new EventRing();
  /** Root actors made by the start, so that none outlives a start that fails half-way. */
  readonly #roots = new Set<AnyActorRef>();
  readonly #arrived = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #child: Child | undefined;
  #over = false;
  #closing = false;
  #stopping = false;
  #finished = false;

  constructor(spec: RunSpec, env: TreeEnv, on: RunEvents) {
    this.#spec = spec;
    this.#env = env;
    this.#on = on;
  }

  start(): void {
    const { clock } = this.#env;
    const { path, startMs } = this.#spec;
    this.#env.board.starting(path);
    const late = () => this.#end(true, new Error(`${path} did not start within ${startMs} ms`));
    const timer = Number.isFinite(startMs) ? clock.setTimeout(late, startMs) : undefined;
    void this.#begin().finally(() => {
      if (timer !== undefined) clock.clearTimeout(timer);
      this.#arrived.resolve();
    });
  }

  async #begin(): Promise<void> {
    try {
      // Out of the supervisor's own step, in which XState warns of every action that is made.
      await Promise.resolve();
      if (this.#over) return;
      const child: Readying = await this.#spec.start(this.#context());
      if (this.#over) return await this.#dispose(child);
      this.#child = child;
      child.ref.subscribe({ error: (error) => this.#end(true, error), complete: () => this.#end(false) });
      await child.ready;
      this.#up(child);
    } catch (error) {
      this.#end(true, error);
    }
  }

  #context(): ChildContext {
    const { tree, log, inspect } = this.#env;
    const { path } = this.#spec;
    const observe = (event: InspectionEvent) => {
      if (event.type === "@xstate.actor") this.#adopt(event.actorRef as AnyActorRef);
      else noteEvent(this.#ring, event);
      if (inspect !== undefined) inspect(event, path);
    };
    return { path, tree, log: log.child({ child: path }), inspect: observe };
  }

  /** Without an error observer from its first moment on, a crash would be the process's. */
  #adopt(ref: AnyActorRef): void {
    if ("_parent" in ref && ref._parent !== undefined) return;
    this.#roots.add(ref);
    ref.subscribe({ error: () => {} });
  }

  #up(child: Child): void {
    // A stopped actor tells a new observer nothing.
    if (child.ref.getSnapshot().status === "stopped") this.#end(false);
    if (this.#over) return;
    if (!this.#stopping) this.#env.board.up(this.#spec.path, child);
    this.#on.up();
  }

  #end(failed: boolean, error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    const { path } = this.#spec;
    this.#env.board.ended(path);
    if (failed) this.#env.board.crashed(crashReport(path, error, this.#child?.ref, this.#ring));
    this.#ended.resolve();
    this.#on.ended({ failed, error: failed ? messageOf(error) : "it ended" });
    if (!this.#stopping) void this.#close(this.#spec.shutdownMs);
  }

  /** Asks it to end, waits, then ends it; all by `deadline`. Asked again, it only has less time. */
  async stop(deadline: number): Promise<void> {
    await Promise.resolve(); // out of the supervisor's own step, as for the start
    const again = this.#stopping || this.#closing;
    this.#stopping = true;
    const until = Math.min(deadline, this.#env.clock.now() + this.#spec.shutdownMs);
    if (!this.#over && this.#child === undefined && !again) await this.#within(this.#arrived.promise, until);
    if (!this.#over && this.#child !== undefined && takesShutdown(this.#child.ref)) {
      this.#child.ref.send({ type: "SHUTDOWN", deadline: until });
      await this.#within(this.#ended.promise, this.#spec.nested ? Number.POSITIVE_INFINITY : until);
    } else if (again) {
      await this.#within(this.#closed.promise, until);
    }
    this.#over = true;
    this.#env.board.ended(this.#spec.path);
    await this.#close(until - this.#env.clock.now());
    if (again) this.#finish();
  }

  async #close(limitMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    for (const ref of this.#roots) end(ref);
    if (this.#child !== undefined) {
      const closing = this.#dispose(this.#child);
      await this.#within(closing, this.#env.clock.now() + limitMs);
    }
    this.#finish();
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#closed.resolve();
    this.#on.closed();
  }

  async #dispose(child: Child): Promise<void> {
    end(child.ref);
    try {
      await child.close?.();
    } catch (error) {
      this.#env.log.error({ child: this.#spec.path, error: messageOf(error) }, "could not close");
    }
  }

  async #within(work: Promise<void>, until: number): Promise<void> {
    const { clock } = this.#env;
    if (until === Number.POSITIVE_INFINITY) return work;
    if (until <= clock.now()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimeout(resolve, until - clock.now());
    await Promise.race([work, promise]);
    clock.clearTimeout(timer);
  }
}

function takesShutdown(ref: AnyActorRef): boolean {
  try {
    return ref.getSnapshot().can?.({ type: "SHUTDOWN" }) === true;
  } catch {
    return false;
  }
}

/** XState leaves the children of an actor whose own action threw running: take them down, too. */
function end(ref: AnyActorRef): void {
  const children: AnyActorRef[] = Object.values(ref.getSnapshot()?.children ?? {});
  if ("stop" in ref && typeof ref.stop === "function") ref.stop();
  for (const child of children) {
    if (child?.getSnapshot()?.status === "active") child.send({ type: "xstate.stop" });
  }
}
