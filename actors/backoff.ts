/** How long to wait before a child is started again. */
export interface Backoff {
  /** The wait after the second failure; the first restart comes at once. */
  minMs: number;
  maxMs: number;
  /** A child that stayed up this long begins anew. */
  quietMs: number;
}

export const restartBackoff: Backoff = { minMs: 50, maxMs: 5_000, quietMs: 10_000 };

const retryMinMs = 30_000;
const retryMaxMs = 300_000;

/** Half of the wait is certain, half is chance, so that children that fell together do not rise together. */
function jittered(ms: number, random: () => number): number {
  return Math.round(ms * (0.5 + random() / 2));
}

/** The wait before a restart, `failures` being those since the last quiet time. */
export function restartDelay(failures: number, backoff: Backoff, random: () => number): number {
  if (failures === 0) return 0;
  return jittered(Math.min(backoff.maxMs, backoff.minMs * 2 ** (failures - 1)), random);
}

/** The wait before a degraded child is tried again, never under 30 s. */
export function retryDelay(retries: number, random: () => number): number {
  const span = Math.min(retryMaxMs, retryMinMs * 2 ** retries);
  return Math.max(retryMinMs, jittered(span, random));
}
