import { createActor } from "xstate";
import type { ChildContext, Start } from "./client.ts";
import { resourceMachine } from "./resource-machine.ts";

/** A part of the process that is opened and closed; `close` may be called twice. */
export interface Resource {
  /** Resolves when it serves. `fail` reports, at any later time, that it no longer does: a crash of the child. */
  open(context: ChildContext, fail: (error: unknown) => void): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Makes a child of a resource: asked to shut down it closes, and when it fails it is restarted. */
export function startResource(resource: Resource): Start {
  return async (context) => {
    const close = async () => resource.close();
    const machine = resourceMachine.provide({
      actions: {
        release: ({ self }) => {
          close().then(
            () => self.send({ type: "CLOSED" }),
            (error: unknown) => self.send({ type: "FAILED", error }),
          );
        },
      },
    });
    const ref = createActor(machine, { id: context.path, inspect: context.inspect }).start();
    try {
      await resource.open(context, (error) => ref.send({ type: "FAILED", error }));
    } catch (error) {
      await close().catch(() => {}); // the failed start is the error to report
      ref.send({ type: "FAILED", error });
      throw error;
    }
    ref.send({ type: "OPENED" });
    return { ref, close };
  };
}
