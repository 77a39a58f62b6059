/** Refusals that alerts and cases share: a stale version, and a move that the chart does not have. */
import type { Refusal } from "../errors.ts";

/** From each status to those that a person may move it to. */
export type Moves<TStatus extends string> = Readonly<Record<TStatus, readonly TStatus[]>>;

/** The caller saw another version than the one that is stored. */
export function refuseStale(
  kind: string,
  record: { version: number },
  event: { at_version?: number },
): Refusal | null {
  if (event.at_version === undefined || event.at_version === record.version) return null;
  return {
    code: "conflict",
    message: `the ${kind} has changed: its version is ${record.version}, not ${event.at_version}`,
    field: "version",
  };
}

/** Staying where one is is no move, and never refused. */
export function refuseMove<TStatus extends string>(
  kind: string,
  moves: Moves<TStatus>,
  from: TStatus,
  to: TStatus,
): Refusal | null {
  if (from === to || moves[from].includes(to)) return null;
  const allowed = moves[from].length > 0 ? moves[from].join(", ") : "none";
  return {
    code: "conflict",
    message: `the ${kind} is ${from} and cannot become ${to}; allowed: ${allowed}`,
    field: "status",
  };
}
