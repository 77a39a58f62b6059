/** Turns what a schema refuses into one sentence that names the field. */
import type { z } from "zod";
import { DomainError } from "../machines/errors.ts";

type Issue = z.core.$ZodIssue;

/** Parses, or refuses with the first offending field. */
export function parsed(schema: z.ZodType, value: unknown, whole: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { field, sentence } = describe(result.error.issues, value);
  const name = field || whole;
  throw new DomainError("invalid_input", `${name}: ${sentence}`, { field: name });
}

function describe(issues: readonly Issue[], value: unknown): { field: string; sentence: string } {
  // A wrong value says more than an unknown field (often a misspelt one), and that more than a missing one.
  const issue = [...issues].sort((a, b) => weight(a, value) - weight(b, value))[0];
  if (!issue) return { field: "", sentence: "is not valid" };
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const inner = describe(bestBranch(issue.errors, value), at(value, issue.path));
    return { ...inner, field: [...issue.path, inner.field].filter((part) => part !== "").join(".") };
  }
  if (issue.code === "unrecognized_keys") {
    const field = [...issue.path, issue.keys[0] ?? ""].map(String).join(".");
    return { field: field.slice(0, 100), sentence: "is not a known field" };
  }
  return { field: issue.path.map(String).join("."), sentence: sentenceOf(issue, value) };
}

function sentenceOf(issue: Issue, value: unknown): string {
  if (issue.path.length > 0 && at(value, issue.path) === undefined) return "is required";
  if (issue.code === "invalid_type") return `must be ${article(issue.expected)}`;
  if (issue.code === "too_small") return bound(issue.origin, "at least", issue.minimum);
  if (issue.code === "too_big") return bound(issue.origin, "at most", issue.maximum);
  if (issue.code === "invalid_value") return oneOf(issue.values);
  if (issue.code === "invalid_union") {
    return "options" in issue && Array.isArray(issue.options) ? oneOf(issue.options) : "is not valid";
  }
  return issue.message;
}

const oneOf = (values: readonly unknown[]) =>
  `must be ${values.length > 1 ? "one of " : ""}${values.map(String).join(", ")}`;

function bound(origin: string, words: string, limit: number | bigint): string {
  if (origin === "string") return `must be ${words} ${limit} characters long`;
  if (origin === "array") return `must have ${words} ${limit} items`;
  return `must be ${words} ${limit}`;
}

function article(type: string): string {
  if (type === "int") return "a whole number";
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

function weight(issue: Issue, value: unknown): number {
  if (issue.code === "unrecognized_keys") return 1;
  return issue.path.length > 0 && at(value, issue.path) === undefined ? 2 : 0;
}

/** Of the forms that a value may have, the one that it comes closest to. */
function bestBranch(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] {
  const score = (branch: readonly Issue[]) =>
    branch.reduce((sum, issue) => sum + 1 + weight(issue, value), 0);
  return [...branches].sort((a, b) => score(a) - score(b))[0] ?? [];
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== "object" || inner === null) return undefined;
    inner = (inner as Record<PropertyKey, unknown>)[key];
  }
  return inner;
}
