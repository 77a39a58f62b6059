/** Speeds as ratios: both sides in the same run, alternating, the median of several rounds. */

export interface Row {
  name: string;
  /** What was measured: connections, keep-alive, body; or why it was not. */
  how: string;
  ours: number;
  baseline: number;
  unit: string;
  ratio: number;
  goal: string;
  met: boolean | null;
}

export type Goal = { atLeast: number } | { atMost: number } | null;

type Side = () => number | Promise<number>;

/** Measures the two sides in turn, so that a noisy neighbour hits both. */
export async function alternate(
  rounds: number,
  ours: Side,
  baseline: Side,
): Promise<{ ours: number; baseline: number }> {
  const [left, right] = await rotate(rounds, [ours, baseline]);
  return { ours: median(left!), baseline: median(right!) };
}

/** All figures of each side; every other round begins at the other end. */
export async function rotate(rounds: number, sides: readonly Side[]): Promise<number[][]> {
  const figures = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...sides.keys()];
    if (round % 2 === 1) order.reverse();
    for (const n of order) figures[n]!.push(await sides[n]!());
  }
  return figures;
}

export function row(
  name: string,
  how: string,
  unit: string,
  sides: { ours: number; baseline: number },
  goal: Goal,
): Row {
  const ratio = sides.ours / sides.baseline;
  return { name, how, unit, ...sides, ratio, goal: wordsOf(goal), met: goal && isMet(ratio, goal) };
}

/** A row that says why there is no figure. */
export function skipped(name: string, why: string): Row {
  const none = { ours: Number.NaN, baseline: Number.NaN, ratio: Number.NaN };
  return { name, how: `skipped: ${why}`, unit: "", ...none, goal: "", met: null };
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** Milliseconds that some work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function isMet(ratio: number, goal: NonNullable<Goal>): boolean {
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

function wordsOf(goal: Goal): string {
  if (!goal) return "";
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
