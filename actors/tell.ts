import type { EventObject } from "xstate";

interface Listener<E> {
  getSnapshot(): { status: string };
  send(event: E): void;
}

/** Tells an actor what an effect of its came to; what ends after the actor did is told to nobody. */
export function tell<E extends EventObject>(ref: Listener<E>, event: NoInfer<E>): void {
  if (ref.getSnapshot().status === "active") ref.send(event);
}
