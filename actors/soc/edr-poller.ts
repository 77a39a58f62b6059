import { createActor } from "xstate";
import type { Edr } from "../../drivers/edr/edr.ts";
import { edrPollerMachine, viewOf } from "../../machines/soc/edr-poller.ts";
import type { Start } from "../client.ts";
import type { Endpoints } from "./edr.ts";

export interface EdrPollerParts {
  edr: Edr;
  endpoints: Endpoints;
  now: () => number;
  everyMs?: number;
}

/** The child of the tree that keeps the endpoints as the adapter's inventory shows them. */
export function startEdrPoller({ edr, endpoints, now, everyMs = 30_000 }: EdrPollerParts): Start {
  const isoNow = () => new Date(now()).toISOString();
  return ({ path, inspect, log }) => {
    const poll = async () => {
      // The time of the question: what happens until the answer is there, it cannot know of.
      const at = isoNow();
      const inventory = await edr.inventory();
      await endpoints.learn(inventory, at);
      return { endpoints: inventory.endpoints.length, skipped: inventory.skipped, at };
    };
    const machine = edrPollerMachine.provide({
      delays: { interval: everyMs },
      actions: {
        poll: ({ self }) => {
          poll().then(
            (seen) => self.send({ type: "POLLED", ...seen }),
            (error: Error) => {
              log.debug({ err: error }, "the EDR inventory could not be had");
              self.send({ type: "POLL_FAILED", reason: error.message, at: isoNow() });
            },
          );
        },
      },
    });
    const ref = createActor(machine, { id: path, inspect });
    const watching = ref.subscribe({
      next: (snapshot) => {
        const { adapter: status, polled_at, error } = viewOf(snapshot);
        endpoints.adapter = { status, polled_at, error };
      },
      error: () => {}, // the supervisor hears of it
    });
    ref.start();
    return { ref, speech: { refusalOf: () => null, viewOf, waits: [] }, close: () => watching.unsubscribe() };
  };
}
