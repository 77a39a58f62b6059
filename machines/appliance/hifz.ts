/** What comes after a track: the five advance modes, the drills for memorising among them. */

export type Advance =
  | { mode: "off" | "continuous" | "repeat_one" }
  /** The same surah again and again; `repeat` 0 is endless. */
  | { mode: "hifz_repeat"; repeat: number; pauseS: number }
  /** Each surah of a range `repeat` times, round and round. */
  | { mode: "hifz_ab"; repeat: number; pauseS: number; ab: Range };

export interface Range {
  from: number;
  to: number;
}

/** One surah of the current reciter that is on the card. Lists are in rising order. */
export interface ListedSurah {
  number: number;
  path: string;
}

/** What to do when a track has ended by itself; a gap is silence before the next one starts. */
export type Step =
  | { kind: "stop" }
  | { kind: "again"; gapMs: number }
  | { kind: "move"; to: ListedSurah; gapMs: number };

const stop: Step = { kind: "stop" };

/** `done` counts the finished plays of the current surah, this one included. */
export function stepAfter(
  advance: Advance,
  current: number,
  done: number,
  list: readonly ListedSurah[],
): Step {
  switch (advance.mode) {
    case "off":
      return stop;
    case "repeat_one":
      return { kind: "again", gapMs: 0 };
    case "continuous":
      return moveTo(neighbour(advance, current, 1, list), 0);
    case "hifz_repeat": {
      const more = advance.repeat === 0 || done < advance.repeat;
      return more ? { kind: "again", gapMs: advance.pauseS * 1_000 } : stop;
    }
    case "hifz_ab": {
      const gapMs = advance.pauseS * 1_000;
      if (!inside(advance.ab, current)) return moveTo(firstOf(advance.ab, list), 0);
      if (done < advance.repeat) return { kind: "again", gapMs };
      return moveTo(round(advance.ab, current, list), gapMs);
    }
  }
}

/** Where to go on when the current surah cannot be played; null when there is nowhere. */
export function afterFailure(
  advance: Advance,
  current: number,
  list: readonly ListedSurah[],
): ListedSurah | null {
  if (advance.mode === "continuous") return neighbour(advance, current, 1, list);
  if (advance.mode !== "hifz_ab") return null;
  const next = inside(advance.ab, current) ? round(advance.ab, current, list) : firstOf(advance.ab, list);
  return next?.number === current ? null : next;
}

/** The next or previous surah on the card; a drill over a range does not leave it. */
export function neighbour(
  advance: Advance,
  current: number,
  direction: 1 | -1,
  list: readonly ListedSurah[],
): ListedSurah | null {
  const allowed = advance.mode === "hifz_ab" ? list.filter(({ number }) => inside(advance.ab, number)) : list;
  return direction === 1
    ? (allowed.find(({ number }) => number > current) ?? null)
    : (allowed.findLast(({ number }) => number < current) ?? null);
}

export function isDrill(advance: Advance): advance is Extract<Advance, { pauseS: number }> {
  return advance.mode === "hifz_repeat" || advance.mode === "hifz_ab";
}

function moveTo(to: ListedSurah | null, gapMs: number): Step {
  return to === null ? stop : { kind: "move", to, gapMs };
}

function inside({ from, to }: Range, number: number): boolean {
  return from <= number && number <= to;
}

function firstOf(range: Range, list: readonly ListedSurah[]): ListedSurah | null {
  return list.find(({ number }) => inside(range, number)) ?? null;
}

/** The next one inside the range, from its end back to its beginning. */
function round(range: Range, current: number, list: readonly ListedSurah[]): ListedSurah | null {
  const later = list.find(({ number }) => number > current && inside(range, number));
  return later ?? firstOf(range, list);
}
