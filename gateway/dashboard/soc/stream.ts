import { LiveState } from "../shared/live-state.ts";

type Listener = (data: Record<string, unknown>) => void;

const listeners = new Map<string, Set<Listener>>();

/** Hears one kind of event of the platform; returns the way to stop listening. */
export function onEvent(event: string, listener: Listener): () => void {
  const set = listeners.get(event) ?? new Set();
  listeners.set(event, set.add(listener));
  return () => set.delete(listener);
}

export const stream = new LiveState<{ mode: Record<string, unknown> }>("/ws", (state, { event, data }) => {
  for (const listener of listeners.get(event) ?? []) listener(data);
  return state;
});
