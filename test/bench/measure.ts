/** Speeds as ratios: both sides in the same run, alternating, the median of several rounds. */

export interface Row {
  name: string;
  /** What was measured: connections, keep-alive, body. */
  how: string;
  ours: number;
  baseline: number;
  unit: string;
  ratio: number;
  goal: string;
  met: boolean | null;
}

export type Goal = { atLeast: number } | { atMost: number } | null;

/** Measures the two sides in turn, so that a noisy neighbour hits both. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<{ ours: number; baseline: number }> {
  const left: number[] = [];
  const right: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) left.push(await ours());
    right.push(await baseline());
    if (round % 2 === 1) left.push(await ours());
  }
  return { ours: median(left), baseline: median(right) };
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

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

function isMet(ratio: number, goal: NonNullable<Goal>): boolean {
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

function wordsOf(goal: Goal): string {
  if (!goal) return "";
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
