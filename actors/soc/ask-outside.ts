/** Asks an adapter so that a thing never happens twice: again under the same key, or only once. */

export interface Asking<T> {
  /** Whether the adapter says that a repeated key does nothing twice. */
  honoursKeys: boolean;
  /** Notes, durably, that it is about to be asked; false when it was before. */
  markCalled(): Promise<boolean>;
  limitMs: number;
  signal?: AbortSignal | undefined;
  ask(timeoutMs: number): Promise<T>;
  /** The answer of an adapter that may or may not have acted. */
  isUnknown(answer: T): boolean;
}

const tries = 3;
const restMs = (round: number) => 1_000 * 2 ** round;

/** Null when it was asked before and may have acted: nobody but a person can say. */
export async function askOutside<T>(asking: Asking<T>): Promise<T | null> {
  if (!asking.honoursKeys && !(await asking.markCalled())) return null;
  const until = performance.now() + asking.limitMs;
  for (let round = 0; ; round++) {
    const left = until - performance.now();
    const answer = await asking.ask(Math.max(1, left));
    const again = asking.honoursKeys && round < tries - 1 && !asking.signal?.aborted;
    if (!asking.isUnknown(answer) || !again) return answer;
    const rest = restMs(round);
    if (performance.now() + rest >= until) return answer;
    await pause(rest, asking.signal);
  }
}

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  signal?.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
