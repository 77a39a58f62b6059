import { createActor } from "xstate";
import type { Store } from "../../drivers/store/store.ts";
import {
  type Failure,
  refusalOfSystem,
  type SystemCommand,
  type SystemReplies,
  type SystemView,
  systemMachine,
  viewOfSystem,
} from "../../machines/appliance/system.ts";
import type { Client, Start } from "../client.ts";
import { refusalFrom } from "../refusal.ts";
import { applianceCollections } from "./collections.ts";

export type System = Client<SystemCommand, SystemView, SystemReplies>;

export interface SystemDeps {
  store: Store;
  /** What of the appliance does not run, and when that changes. */
  failures(): readonly Failure[];
  watchFailures(changed: () => void): () => void;
  /** Notes on disk that everything is to be cleared; from then on there is no way back. */
  prepareReset(): Promise<void>;
  /** Stops the appliance and starts it again, cleared. */
  leave(): void;
}

/** Clients hear of it each time: uptime and free memory have moved on, too. */
const countEveryMs = 60_000;
const settleMs = 1_000;
/** Those whose records people make and remove. */
const lists = ["settings", "favorites", "stations", "cards", "scheduler", "prayer"];

/** The device as a whole. */
export function startSystem(deps: SystemDeps): Start {
  return async ({ inspect, log, tree }) => {
    const machine = systemMachine.provide({
      actions: {
        prepareReset: () => {
          deps.prepareReset().then(
            () => ref.send({ type: "RESET_PREPARED" }),
            (error) =>
              ref.send({
                type: "PREPARATION_FAILED",
                refusal: refusalFrom(error, "the reset could not be prepared"),
              }),
          );
        },
        leave: () => deps.leave(),
      },
    });
    const ref = createActor(machine, { inspect }).start();
    const count = (everyTime = true) => {
      entriesOf(deps.store).then(
        (used) => {
          if (everyTime || used !== ref.getSnapshot().context.used)
            ref.send({ type: "ENTRIES_COUNTED", used });
        },
        (error: unknown) => log.warn({ err: error }, "the store's entries could not be counted"),
      );
    };
    let soon: NodeJS.Timeout | undefined;
    const countSoon = () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        count(false);
      }, settleMs).unref();
    };
    let told = "[]";
    const look = () => {
      const failures = deps.failures();
      const text = JSON.stringify(failures);
      if (text !== told) ref.send({ type: "FAILURES_CHANGED", failures });
      told = text;
    };
    const timer = setInterval(() => count(), countEveryMs).unref();
    const endings = [
      deps.watchFailures(look),
      ...lists.map((list) => tree.client(`appliance/${list}`).watch(countSoon)),
    ];
    count();
    look();
    return {
      ref,
      speech: { refusalOf: refusalOfSystem, viewOf: viewOfSystem, waits: ["RESET"] },
      close: () => {
        clearInterval(timer);
        clearTimeout(soon);
        for (const end of endings) end();
      },
    };
  };
}

async function entriesOf(store: Store): Promise<number> {
  const counts = await Promise.all(applianceCollections.map(({ name }) => store.count(name)));
  return counts.reduce((sum, count) => sum + count, 0);
}
