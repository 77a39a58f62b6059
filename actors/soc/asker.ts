import type { StepMeta } from "../entity-kind.ts";

/** Who asks for a change, and in which request. */
export interface Asker {
  /** Username, key name, or the part of the platform that acts. */
  actor: string;
  /** The request's id. What follows elsewhere from the change is told without one. */
  cause?: string;
}

export function metaOf({ actor, cause }: Asker, at: string): StepMeta {
  return cause === undefined ? { actor, at } : { actor, at, cause };
}
