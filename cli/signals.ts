/** A second signal this soon is the same one: npm and a terminal may both deliver the first. */
const echoMs = 1_000;

/** Calls `drain` at the first SIGTERM or SIGINT; one that comes later exits at once. */
export function onSignals(drain: () => void): { readonly heard: boolean; forget(): void } {
  let firstAt: number | null = null;
  const hear = () => {
    const now = performance.now();
    if (firstAt === null) {
      firstAt = now;
      drain();
    } else if (now - firstAt > echoMs) {
      process.exit(130);
    }
  };
  process.on("SIGTERM", hear).on("SIGINT", hear);
  return {
    get heard() {
      return firstAt !== null;
    },
    forget: () => void process.off("SIGTERM", hear).off("SIGINT", hear),
  };
}
