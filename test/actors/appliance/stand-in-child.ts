import { assign, createActor, setup } from "xstate";
import type { Start } from "../../../actors/client.ts";
import type { ChildSpec } from "../../../actors/supervisor-spec.ts";

type Shown<V> = { type: "SHOW"; view: V } | { type: "STOP" } | { type: "CHANGE"; patch: Partial<V> };

/** A neighbour of which only the view matters: a test shows it, and hears what it was told. */
export function standIn<V extends object>(id: string, view: V, stopped?: (view: V) => V) {
  const told: string[] = [];
  const machine = setup({
    types: { context: {} as { view: V }, events: {} as Shown<V> },
  }).createMachine({
    id,
    context: { view },
    on: {
      SHOW: { actions: assign({ view: ({ event }) => event.view }) },
      CHANGE: { actions: assign({ view: ({ context, event }) => ({ ...context.view, ...event.patch }) }) },
      STOP: { actions: assign({ view: ({ context }) => stopped?.(context.view) ?? context.view }) },
    },
  });
  const ref = createActor(machine);
  const start: Start = () => ({
    ref: ref.start(),
    speech: {
      refusalOf: (_, command) => {
        told.push(command.type);
        return null;
      },
      viewOf: (snapshot) => snapshot.context.view,
      waits: [],
    },
  });
  const spec: ChildSpec = { id, start, restart: "permanent" };
  return { spec, told, show: (next: V) => ref.send({ type: "SHOW", view: next }) };
}
