/** The three modes: what each lets happen, and what the platform says about itself. */

export const modes = ["dummy", "dry_run", "real"] as const;
export type Mode = (typeof modes)[number];

/** What a route does: looks, changes by an operator's hand, works by itself, or reaches beyond the platform. */
export const effects = ["read", "mutation", "internal", "external"] as const;
export type RouteEffect = (typeof effects)[number];

export type Outcome = "done" | "preview" | "blocked";

const outcomes: Record<RouteEffect, Record<Mode, Outcome>> = {
  read: { dummy: "done", dry_run: "done", real: "done" },
  mutation: { dummy: "blocked", dry_run: "preview", real: "done" },
  internal: { dummy: "blocked", dry_run: "done", real: "done" },
  external: { dummy: "blocked", dry_run: "preview", real: "done" },
};

export function outcomeOf(effect: RouteEffect, mode: Mode): Outcome {
  return outcomes[effect][mode];
}

/** Steps beyond the platform of a workflow that runs by itself leave receipts and touch nothing. */
export function simulatesExternal(mode: Mode): boolean {
  return mode !== "real";
}

export interface RuntimeTruth {
  mode: Mode;
  is_database_available: boolean;
  showcase_reads_allowed: boolean;
  uses_showcase_data: boolean;
  read_data_source: "database" | "showcase" | "unavailable";
  is_mutations_allowed: boolean;
  is_internal_workflows_allowed: boolean;
  is_external_actions_allowed: boolean;
}

/** The answer of `/system/mode`: computed, never stored. */
export function runtimeTruth(mode: Mode, storeUp: boolean): RuntimeTruth {
  const showcase = mode === "dummy";
  return {
    mode,
    is_database_available: storeUp,
    showcase_reads_allowed: showcase,
    uses_showcase_data: showcase && !storeUp,
    read_data_source: storeUp ? "database" : showcase ? "showcase" : "unavailable",
    is_mutations_allowed: mode === "real",
    is_internal_workflows_allowed: mode !== "dummy",
    is_external_actions_allowed: mode === "real",
  };
}
