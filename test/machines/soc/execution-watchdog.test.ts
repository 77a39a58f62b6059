import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { initialTransition, type SnapshotFrom, transition } from "xstate";
import { dueOf, executionMachine, executionOf, refusalOf } from "../../../machines/soc/execution.ts";
import {
  decisions,
  type Execution,
  type ExecutionEvent,
  onErrors,
  stepTypes,
} from "../../../machines/soc/execution-record.ts";

const begin = Date.parse("2026-03-01T10:00:00.000Z");
const iso = (now: number) => new Date(now).toISOString();

const steps = fc.array(
  fc.record({ type: fc.constantFrom(...stepTypes), on_error: fc.constantFrom(...onErrors) }),
  { maxLength: 5 },
);
/** What may happen next, whenever it is possible. */
const happenings = fc.array(
  fc.record({
    what: fc.constantFrom("done", "failed", "unknown", "called", "input", "time", "away", "stale"),
    decision: fc.constantFrom(...decisions),
  }),
  { maxLength: 25 },
);
type Happening = { what: string; decision: (typeof decisions)[number] };

class Run {
  snapshot: SnapshotFrom<typeof executionMachine>;
  now = begin;

  constructor(chosen: { type: (typeof stepTypes)[number]; on_error: (typeof onErrors)[number] }[]) {
    const all = chosen.map((step, n) => ({ id: `s${n}`, name: `${n}`, params: {}, timeout_s: 10, ...step }));
    const about = { id: "pb", name: "P", description: "", critical: false, enabled: true, trigger: "" };
    const who = { parameters: {}, case_id: null, alert_id: null, requested_by: "r", simulated: false };
    const none = { approval_id: null, approval_expires_at: null };
    const playbook = { ...about, steps: all };
    [this.snapshot] = initialTransition(executionMachine, {
      ...{ id: "x1", playbook, at: iso(begin) },
      ...who,
      ...none,
    });
  }

  get record(): Execution {
    return { ...executionOf(this.snapshot), version: 1 };
  }

  tell(event: ExecutionEvent): void {
    if (refusalOf(this.record, event) === null)
      [this.snapshot] = transition(executionMachine, this.snapshot, event);
  }

  happen({ what, decision }: Happening): void {
    const { steps: all, current } = this.record;
    const step = all[current];
    if (!step) return;
    this.now += 500;
    const at = iso(this.now);
    const said = { step_id: step.id, attempt: what === "stale" ? step.attempt - 1 : step.attempt, at };
    if (what === "done" || what === "stale") this.tell({ type: "STEP_DONE", ...said, receipt: null });
    if (what === "failed") this.tell({ type: "STEP_FAILED", ...said, error: "no" });
    if (what === "unknown") this.tell({ type: "STEP_UNKNOWN", ...said, error: "silence" });
    if (what === "called") this.tell({ type: "STEP_CALLED", ...said });
    if (what === "input") this.tell({ type: "INPUT", decision, input: "yes", by: "r", at });
    if (what === "time") this.fallDue(0);
    if (what === "away") this.fallDue(3_600_000);
  }

  fallDue(late: number): void {
    this.now = Math.max(this.now, dueOf(this.record) ?? this.now) + late;
    this.tell({ type: "FELL_DUE", at: iso(this.now) });
  }
}

describe("the watchdog", () => {
  it("never leaves a run that has not ended without a deadline", () => {
    fc.assert(
      fc.property(steps, happenings, (chosen, story) => {
        const run = new Run(chosen);
        for (const happening of story) {
          run.happen(happening);
          const { status, waiting_for } = run.record;
          const due = dueOf(run.record);
          expect(due === null).toBe(status !== "running");
          if (waiting_for) expect(run.record.steps[run.record.current]?.id).toBe(waiting_for.step_id);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["on time", 0],
    ["an hour late each time", 3_600_000],
  ])("ends every run by deadlines alone, told %s", (_, late) => {
    fc.assert(
      fc.property(steps, happenings, (chosen, story) => {
        const run = new Run(chosen);
        for (const happening of story) run.happen(happening);
        // Three tries of each step, each given its time ten times, a rest between them, and a question.
        for (let turns = 0; run.record.status === "running"; turns++) {
          expect(turns).toBeLessThan(5 * 3 * 12 + 10);
          run.fallDue(late);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
