import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offsetAt, parseZone } from "../../../machines/appliance/timezone.ts";
import { describeWith } from "../../real-part.ts";

const ruleCount = process.env.CI === "true" ? 2_000 : 300;
const instantsPerRule = 100;
const lastInstant = 4_102_444_800;

const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
const sign = fc.constantFrom("", "+", "-");
const clock = (maxHours: number) =>
  fc
    .tuple(sign, fc.integer({ min: 0, max: maxHours }), fc.option(two(59)), fc.option(two(59)))
    .map(
      ([s, h, m, sec]) =>
        `${s}${h}${m === null ? "" : `:${m}`}${m === null || sec === null ? "" : `:${sec}`}`,
    );
const name = fc.constantFrom("EST", "abcd", "<+0330>", "<-03>", "<UTC+5>");
const day = fc.oneof(
  fc.integer({ min: 1, max: 365 }).map((n) => `J${n}`),
  fc.integer({ min: 0, max: 365 }).map(String),
  fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 6 }))
    .map(([m, w, d]) => `M${m}.${w}.${d}`),
);
const change = fc.tuple(day, fc.option(clock(166))).map(([d, t]) => (t === null ? d : `${d}/${t}`));
const fixed = fc.tuple(name, clock(23)).map((parts) => parts.join(""));
const changing = fc
  .tuple(name, clock(23), name, fc.option(clock(23)), change, change)
  .map(([n, o, dn, dOff, from, to]) => `${n}${o}${dn}${dOff ?? ""},${from},${to}`);
const anyRule = fc.oneof({ weight: 1, arbitrary: fixed }, { weight: 9, arbitrary: changing });

function glibcOffsets(rule: string, instants: readonly number[]): number[] {
  const input = instants.map((epoch) => `@${epoch}\n`).join("");
  const run = spawnSync("date", ["-f", "-", "+%::z"], {
    input,
    env: { ...process.env, TZ: rule, LC_ALL: "C" },
    encoding: "utf8",
  });
  return run.stdout.trim().split("\n").map(readOffset);
}

function readOffset(text: string): number {
  const [h = 0, m = 0, s = 0] = text.slice(1).split(":").map(Number);
  return (text.startsWith("-") ? -1 : 1) * (h * 3600 + m * 60 + s) || 0;
}

function instantsAround(rule: string, spread: readonly number[]): number[] {
  const zone = parseZone(rule);
  const near: number[] = [];
  // Where our own offset changes between two random instants, look at both sides of the change.
  for (const epoch of spread.slice(0, 20)) {
    const end = Math.min(lastInstant, epoch + 86_400 * 200);
    if (offsetAt(zone, epoch) === offsetAt(zone, end)) continue;
    let [low, high] = [epoch, end];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(zone, middle) === offsetAt(zone, epoch)) low = middle;
      else high = middle;
    }
    near.push(low, high);
  }
  return [...near, ...spread].slice(0, instantsPerRule);
}

function compare(rule: string, instants: readonly number[]): void {
  const zone = parseZone(rule);
  const theirs = glibcOffsets(rule, instants);
  expect(theirs, rule).toHaveLength(instants.length);
  const wrong = instants.filter((epoch, at) => offsetAt(zone, epoch) !== theirs[at]);
  expect({ rule, wrong }).toEqual({ rule, wrong: [] });
}

describeWith(["date"], "timezone rules against glibc", () => {
  it(`${ruleCount} random rules give glibc's offset at ${instantsPerRule} instants each`, () => {
    const rules = fc.sample(anyRule, { seed: 20_261, numRuns: ruleCount });
    const spreads = fc.sample(
      fc.array(fc.integer({ min: 0, max: lastInstant }), {
        minLength: instantsPerRule,
        maxLength: instantsPerRule,
      }),
      { seed: 7, numRuns: ruleCount },
    );
    rules.forEach((rule, at) => {
      compare(rule, instantsAround(rule, spreads[at]!));
    });
  }, 120_000);

  it.each([
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "<+0330>-3:30",
    "EET-2EEST,M4.5.5/0,M10.5.4/24",
    "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
    "NZST-12NZDT,M9.5.0,M4.1.0/3",
    "IST-1GMT0,M10.5.0,M3.5.0/1",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "XXX24YYY-24,J1/-167,J365/167",
    "XXX-24",
    "LMT0:25:21",
    "EDT4EST5,0/0,J365/23",
    "AAA3BBB,J59/0,J60/0",
    "AAA3BBB,58/0,59/0",
    "AAA-3BBB,364/24,365/24",
  ])("%s is evaluated as glibc does through a whole century", (rule) => {
    const instants = Array.from({ length: 2_400 }, (_, n) => Math.floor((n * lastInstant) / 2_400));
    compare(rule, instants);
  });

  it("summer time without dates follows those of the United States", () => {
    const from = Date.UTC(2008, 0, 1) / 1000;
    // glibc's table for this case ends in 2037.
    compare(
      "EST5EDT",
      Array.from({ length: 2_000 }, (_, n) => from + n * 400_000).filter((t) => t < 2 ** 31),
    );
  });
});

describe("timezone rules that are refused", () => {
  it.each([
    "",
    "UTC",
    "Europe/Berlin",
    "CET-1CEST,M3.5.0",
    "CET-1CEST,",
    "CET-1CEST,M3.5.0,M10.5.0/3,",
    "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.0.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0",
    "CET-1CEST,J0,J5",
    "CET-1CEST,J366,J5",
    "CET-1CEST,366,5",
    "CET-1CEST,M3.5.0/168,M10.5.0",
    "CET-1CEST,M3.5.0/167:00:01,M10.5.0",
    "AB3",
    "<ab>3",
    "CET-25",
    "CET24:00:01",
    "CET-1:60",
    " CET-1",
    "CET-1\n",
    `${"A".repeat(120)}1`,
  ])("%j names the field", (rule) => {
    expect(() => parseZone(rule)).toThrow(
      expect.objectContaining({ code: "invalid_input", field: "timezone" }),
    );
  });
});
