/** POSIX timezone rules, read and evaluated as glibc does: Node takes them for UTC without a word. */
import { DomainError } from "../errors.ts";

export const secondsPerDay = 86_400;

/** A day of the year at which the offset changes. */
type RuleDay =
  /** 1 to 365, 29 February never counted. */
  | { kind: "julian"; day: number }
  /** 0 to 365, 29 February counted. */
  | { kind: "ordinal"; day: number }
  /** The week-th weekday of a month; week 5 is the last. */
  | { kind: "weekday"; month: number; week: number; weekday: number };

interface Change {
  day: RuleDay;
  /** Seconds after local midnight; −167 to 167 hours. */
  time: number;
}

/** Offsets are seconds east of Greenwich. */
export interface Zone {
  rule: string;
  standard: number;
  summer: { offset: number; start: Change; end: Change } | null;
}

const namePattern = "(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)";
const offsetPattern = "[+-]?\\d{1,3}(?::\\d{1,2}){0,2}";
const dayPattern = "(?:J\\d{1,3}|\\d{1,3}|M\\d{1,2}\\.\\d\\.\\d)";
const changePattern = `${dayPattern}(?:/${offsetPattern})?`;
const rulePattern = new RegExp(
  `^${namePattern}(${offsetPattern})(?:${namePattern}(${offsetPattern})?(?:,(${changePattern}),(${changePattern}))?)?$`,
);
const hasSummer = new RegExp(`^${namePattern}${offsetPattern}[A-Za-z<]`);

/** Reads a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`; a wrong one is refused by the field's name. */
export function parseZone(rule: string): Zone {
  const match = rule.length <= 100 ? rulePattern.exec(rule) : null;
  if (!match) throw wrong("is not a POSIX timezone rule");
  const standard = -seconds(match[1]!, 24);
  if (!hasSummer.test(rule)) return { rule, standard, summer: null };
  const offset = match[2] === undefined ? standard + 3600 : -seconds(match[2], 24);
  // Without dates glibc takes those of the United States.
  const start = readChange(match[3] ?? "M3.2.0");
  const end = readChange(match[4] ?? "M11.1.0");
  return { rule, standard, summer: { offset, start, end } };
}

function readChange(text: string): Change {
  const [day = "", time = "2"] = text.split("/");
  return { day: readDay(day), time: seconds(time, 167) };
}

function readDay(text: string): RuleDay {
  if (text.startsWith("M")) {
    const [month = 0, week = 0, weekday = 7] = text.slice(1).split(".").map(Number);
    if (month < 1 || month > 12 || week < 1 || week > 5 || weekday > 6) throw wrong(`has no day ${text}`);
    return { kind: "weekday", month, week, weekday };
  }
  const julian = text.startsWith("J");
  const day = Number(julian ? text.slice(1) : text);
  if (day > 365 || (julian && day < 1)) throw wrong(`has no day ${text}`);
  return { kind: julian ? "julian" : "ordinal", day };
}

function seconds(text: string, maxHours: number): number {
  const [hours = 0, minutes = 0, rest = 0] = text.replace(/^[+-]/, "").split(":").map(Number);
  const total = hours * 3600 + minutes * 60 + rest;
  if (minutes > 59 || rest > 59 || total > maxHours * 3600)
    throw wrong(`takes at most ${maxHours} hours: ${text}`);
  return text.startsWith("-") ? -total : total;
}

function wrong(what: string): DomainError {
  return new DomainError("invalid_input", `timezone ${what}`, { field: "timezone" });
}

/** Seconds east of Greenwich at an instant, given in seconds since 1970. */
export function offsetAt(zone: Zone, epoch: number): number {
  if (!zone.summer) return zone.standard;
  // Like glibc, the changes of the UTC year decide, even for a rule whose changes spill into the next.
  const year = civilFromDays(Math.floor(epoch / secondsPerDay)).year;
  const { offset, start, end } = zone.summer;
  const starts = dayOfChange(start.day, year) * secondsPerDay + start.time - zone.standard;
  const ends = dayOfChange(end.day, year) * secondsPerDay + end.time - offset;
  const inSummer = starts > ends ? epoch < ends || epoch >= starts : epoch >= starts && epoch < ends;
  return inSummer ? offset : zone.standard;
}

function dayOfChange(rule: RuleDay, year: number): number {
  const newYear = daysFromCivil(year, 1, 1);
  if (rule.kind === "ordinal") return newYear + rule.day;
  if (rule.kind === "julian") return newYear + rule.day - 1 + (rule.day >= 60 && isLeap(year) ? 1 : 0);
  const first = daysFromCivil(year, rule.month, 1);
  const day = first + ((rule.weekday - weekdayOf(first) + 7) % 7) + (rule.week - 1) * 7;
  const next = rule.month === 12 ? daysFromCivil(year + 1, 1, 1) : daysFromCivil(year, rule.month + 1, 1);
  return day < next ? day : day - 7;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** 0 is Sunday; days are counted from 1 January 1970. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** Days since 1 January 1970 of a date in the Gregorian calendar. */
export function daysFromCivil(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / (secondsPerDay * 1000);
}

export function civilFromDays(day: number): { year: number; month: number; day: number } {
  const date = new Date(day * secondsPerDay * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
