import type { AnyActorRef, AnyEventObject, EventObject } from "xstate";
import { DomainError, type Refusal } from "../machines/errors.ts";
import type { Answer, AskOptions, Child, Speech } from "./client.ts";
import type { TreeClock } from "./supervisor-spec.ts";

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: unknown): void;
  timer: unknown;
}

const defaultTimeoutMs = 10_000;
/** Asks that may wait for one actor at the same time. */
export const maxInFlight = 256;

let lastId = 0;

/** Speaks with one incarnation of an actor: asks, views, and an answer to everybody when it ends. */
export class Speaker {
  readonly #path: string;
  readonly #ref: AnyActorRef;
  readonly #clock: TreeClock;
  // biome-ignore lint/suspicious/noExplicitAny: the tree is type-erased; `Client` gives the types back
  readonly #speech: Speech<any, any, any> | undefined;
  readonly #waits: ReadonlySet<string>;
  readonly #waiting = new Map<string, Waiting>();
  #seen: unknown;
  #view: unknown;

  constructor(path: string, child: Child, clock: TreeClock) {
    this.#path = path;
    this.#ref = child.ref;
    this.#speech = child.speech;
    this.#clock = clock;
    this.#waits = new Set(child.speech?.waits);
    if (this.#waits.size === 0) return;
    child.ref.on("settled", (emitted: EventObject) => this.#answered(emitted as Answer));
    child.ref.on("failed", (emitted: EventObject) => this.#answered(emitted as Answer));
  }

  /** The answer itself for a command that runs to completion, a promise of it for one that waits. */
  ask(command: AnyEventObject, options?: AskOptions): unknown {
    const speech = this.#speech;
    if (speech === undefined) throw new DomainError("unavailable", `${this.#path} takes no commands`);
    const snapshot = this.#ref.getSnapshot();
    if (snapshot.status !== "active") throw gone(this.#path);
    const refusal: Refusal | null = speech.refusalOf(snapshot, command);
    if (refusal !== null) throw DomainError.from(refusal);
    if (this.#waits.has(command.type)) return this.#promise(command, options);
    this.#ref.send(command);
    if (this.#ref.getSnapshot().status === "error") throw gone(this.#path);
    return this.view();
  }

  /** The same view for the same snapshot, so that listeners may compare by identity. */
  view(): unknown {
    const snapshot = this.#ref.getSnapshot();
    if (snapshot !== this.#seen) {
      if (this.#speech === undefined) throw new DomainError("unavailable", `${this.#path} has no view`);
      this.#view = this.#speech.viewOf(snapshot);
      this.#seen = snapshot;
    }
    return this.#view;
  }

  get hasView(): boolean {
    return this.#speech !== undefined;
  }

  /** The actor has ended: whoever still waits hears of it now. */
  end(): void {
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(gone(this.#path));
  }

  #promise(command: AnyEventObject, options?: AskOptions): Promise<unknown> {
    if (this.#waiting.size >= maxInFlight) {
      throw new DomainError("overloaded", `${this.#path} has too many commands in flight`);
    }
    const id = (++lastId).toString(36);
    return new Promise((resolve, reject) => {
      const late = () => this.#take(id)?.reject(new DomainError("timeout", `${this.#path} took too long`));
      const timer = this.#clock.setTimeout(late, options?.timeoutMs ?? defaultTimeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#ref.send({ ...command, id });
    });
  }

  #answered(answer: Answer): void {
    const waiting = this.#take(answer.id);
    if (waiting === undefined) return;
    if (answer.type === "failed") waiting.reject(DomainError.from(answer.refusal));
    else if (answer.reply !== undefined) waiting.resolve(answer.reply);
    else this.#resolveView(waiting);
  }

  /** XState emits once the step is done, so this is the view after it. */
  #resolveView(waiting: Waiting): void {
    try {
      waiting.resolve(this.view());
    } catch (error) {
      waiting.reject(error);
    }
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    this.#clock.clearTimeout(waiting.timer);
    return waiting;
  }
}

function gone(path: string): DomainError {
  return new DomainError("unavailable", `${path} ended before it could answer`);
}
