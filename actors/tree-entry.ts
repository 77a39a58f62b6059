import type { AnyEventObject } from "xstate";
import { DomainError } from "../machines/errors.ts";
import { maxInFlight, Speaker } from "./ask.ts";
import type { AskOptions, Child } from "./client.ts";
import type { ChildState, TreeClock } from "./supervisor-spec.ts";

interface Caller {
  resolve(speaker: Speaker): void;
  reject(error: DomainError): void;
  timer: unknown;
}

type Listener = (view: unknown) => void;

/** While a child restarts, an ask waits this long for the new incarnation. */
const patienceMs = 1_000;

/** One name of the tree, whatever lives under it at the moment. */
export class Entry {
  readonly path: string;
  state: ChildState = "stopped";
  /** Why it does not run now; null when it does, or when it is not meant to. */
  error: string | null = null;
  lastError: string | null = null;
  since: number;
  starts = 0;
  known = false;
  child: Child | undefined;
  readonly #clock: TreeClock;
  readonly #onListenerError: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  readonly #callers = new Set<Caller>();
  #speaker: Speaker | undefined;
  #lastView: unknown;
  #hasLast = false;

  constructor(path: string, clock: TreeClock, onListenerError: (error: unknown) => void) {
    this.path = path;
    this.since = clock.now();
    this.#clock = clock;
    this.#onListenerError = onListenerError;
  }

  get restarts(): number {
    return Math.max(0, this.starts - 1);
  }

  async ask(command: AnyEventObject, options?: AskOptions): Promise<unknown> {
    const speaker = this.#speaker ?? (await this.#arrival());
    return speaker.ask(command, options);
  }

  view(): unknown {
    if (this.#speaker !== undefined) return this.#speaker.view();
    if (this.#hasLast) return this.#lastView;
    throw this.#absent();
  }

  watch(listener: Listener): () => void {
    // Two watchers may hand in the same function; each stops only its own.
    const own: Listener = (view) => listener(view);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  up(child: Child): void {
    const speaker = new Speaker(this.path, child, this.#clock);
    this.child = child;
    this.#speaker = speaker;
    child.ref.subscribe({ next: () => this.#show(speaker), error: () => {} });
    this.#show(speaker);
    for (const caller of this.#callers) {
      this.#clock.clearTimeout(caller.timer);
      caller.resolve(speaker);
    }
    this.#callers.clear();
  }

  ended(): void {
    const speaker = this.#speaker;
    if (speaker === undefined) return;
    this.#keepView(speaker);
    this.#speaker = undefined;
    this.child = undefined;
    speaker.end();
  }

  moved(state: ChildState, error: string | null): void {
    if (state !== this.state) this.since = this.#clock.now();
    this.state = state;
    this.error = state === "running" ? null : error;
    this.lastError = error ?? this.lastError;
    if (state !== "degraded" && state !== "stopped") return;
    for (const caller of this.#callers) {
      this.#clock.clearTimeout(caller.timer);
      caller.reject(this.#absent());
    }
    this.#callers.clear();
  }

  #show(speaker: Speaker): void {
    if (this.#listeners.size === 0 || this.#speaker !== speaker || !speaker.hasView) return;
    for (const listener of this.#listeners) {
      try {
        listener(speaker.view());
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }

  #keepView(speaker: Speaker): void {
    if (!speaker.hasView) return;
    try {
      this.#lastView = speaker.view();
      this.#hasLast = true;
    } catch (error) {
      this.#onListenerError(error);
    }
  }

  #arrival(): Promise<Speaker> {
    if (this.state !== "starting" && this.state !== "restarting") throw this.#absent();
    if (this.#callers.size >= maxInFlight) {
      throw new DomainError("overloaded", `${this.path} has too many commands in flight`);
    }
    return new Promise((resolve, reject) => {
      const caller: Caller = { resolve, reject, timer: undefined };
      const late = () => {
        this.#callers.delete(caller);
        reject(this.#absent());
      };
      caller.timer = this.#clock.setTimeout(late, patienceMs);
      this.#callers.add(caller);
    });
  }

  #absent(): DomainError {
    if (!this.known) return new DomainError("unavailable", `There is no ${this.path}`);
    const why = this.error === null ? "" : `: ${this.error}`;
    if (this.state === "degraded")
      return new DomainError("unavailable", `${this.path} is out of order${why}`);
    if (this.state === "stopped") return new DomainError("unavailable", `${this.path} is stopped${why}`);
    return new DomainError("unavailable", `${this.path} is ${this.state}${why}`);
  }
}
