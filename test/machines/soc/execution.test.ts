import { describe, expect, it } from "vitest";
import { initialTransition, transition } from "xstate";
import { dueOf, executionMachine, executionOf, refusalOf } from "../../../machines/soc/execution.ts";
import type { Execution, ExecutionEvent, PlaybookStep } from "../../../machines/soc/execution-record.ts";
import { builtInPlaybooks, filled, parametersOf } from "../../../machines/soc/playbooks.ts";

const at = "2026-03-01T10:00:00.000Z";

/** A run without a world: the effects it asks for are listed. */
class Run {
  snapshot;
  performed: { step_id: string; attempt: number; key: string }[] = [];

  constructor(
    steps: (Partial<PlaybookStep> & { type: PlaybookStep["type"] })[],
    approval_id: string | null = null,
  ) {
    const playbook = {
      ...{ id: "pb", name: "Test", description: "", critical: false, enabled: true, trigger: "manual" },
      steps: steps.map((step, index) => ({
        ...{
          id: `s${index + 1}`,
          name: `step ${index + 1}`,
          params: {},
          on_error: "stop" as const,
          timeout_s: 10,
        },
        ...step,
      })),
    };
    const [first, actions] = initialTransition(executionMachine, {
      ...{
        id: "x1",
        playbook,
        parameters: { host: "h1" },
        case_id: null,
        alert_id: null,
        requested_by: "responder",
      },
      ...{
        approval_id,
        approval_expires_at: approval_id && "2026-03-01T14:00:00.000Z",
        simulated: false,
        at,
      },
    });
    this.snapshot = first;
    this.#note(actions);
  }

  tell(event: ExecutionEvent): this {
    expect(refusalOf(this.record, event)).toBeNull();
    const [next, actions] = transition(executionMachine, this.snapshot, event);
    this.snapshot = next;
    this.#note(actions);
    return this;
  }

  get record(): Execution {
    return { ...executionOf(this.snapshot), version: 1 };
  }

  get states(): string[] {
    return this.record.steps.map((step) => step.state);
  }

  answer(type: "STEP_DONE" | "STEP_FAILED" | "STEP_UNKNOWN", more: { receipt?: unknown } = {}): this {
    const { step_id, attempt } = this.performed.at(-1) as { step_id: string; attempt: number };
    return this.tell({ type, step_id, attempt, at, error: "no", receipt: null, ...more } as ExecutionEvent);
  }

  #note(actions: readonly { type: string; params: unknown }[]): void {
    for (const action of actions)
      if (action.type === "performStep") this.performed.push(action.params as never);
  }
}

describe("a run", () => {
  it("performs one step after the other and ends completed", () => {
    const run = new Run([{ type: "comment" }, { type: "generate_report" }]);
    expect(run.performed).toEqual([{ step_id: "s1", attempt: 1, key: "x1/s1/1" }]);
    run.answer("STEP_DONE", { receipt: { id: 7 } }).answer("STEP_DONE");
    expect(run.record).toMatchObject({ status: "completed", steps_completed: 2, due_at: null });
    expect(run.record.steps[0]?.receipt).toEqual({ id: 7 });
  });

  it("does nothing before its approval is replayed, and then once", () => {
    const run = new Run([{ type: "comment" }], "p1");
    run.tell({ type: "APPROVAL_ENDED", approval_id: "p1", outcome: "approved", at });
    expect([run.record.status, run.performed.length]).toEqual(["pending_approval", 0]);
    const start = { type: "START", approval_id: "p1", by: "responder", at } as const;
    expect(refusalOf(run.record, { ...start, parameters: { host: "h2" } })?.field).toBe("parameters");
    expect(refusalOf(run.record, { ...start, approval_id: "p2" })?.field).toBe("approval_id");
    run.tell({ ...start, parameters: { host: "h1" } });
    expect([run.record.status, run.performed.length]).toEqual(["running", 1]);
    expect(refusalOf(run.record, start)?.code).toBe("conflict");
  });

  it.each(["rejected", "timeout"])("is cancelled when its approval ends %s", (outcome) => {
    const run = new Run([{ type: "comment" }], "p1");
    run.tell({ type: "APPROVAL_ENDED", approval_id: "p1", outcome, at });
    expect([run.record.status, run.states]).toEqual(["cancelled", ["cancelled"]]);
  });

  it("tries three times with a rest between, each certain failure under a new key", () => {
    const run = new Run([{ type: "block_ioc", on_error: "retry" }]);
    run.answer("STEP_FAILED");
    expect(run.record.due_at).toBe("2026-03-01T10:00:01.000Z");
    run.tell({ type: "FELL_DUE" }).answer("STEP_FAILED");
    expect(run.record.due_at).toBe("2026-03-01T10:00:02.000Z");
    run.tell({ type: "FELL_DUE" }).answer("STEP_FAILED");
    expect(run.record).toMatchObject({ status: "failed", error: "step 1: no" });
    expect(run.performed.map((each) => each.key)).toEqual(["x1/s1/1", "x1/s1/2", "x1/s1/3"]);
  });

  it("goes on past a step that may fail", () => {
    const run = new Run([{ type: "comment", on_error: "continue" }, { type: "comment" }]);
    run.answer("STEP_FAILED").answer("STEP_DONE");
    expect([run.record.status, run.states]).toEqual(["completed", ["failed", "completed"]]);
  });

  it("asks a person whether a silent external step happened, and repeats it under the same key", () => {
    const run = new Run([{ type: "isolate_endpoint" }]);
    run.tell({ type: "FELL_DUE" });
    expect(run.states).toEqual(["unknown"]);
    expect(run.record.waiting_for?.choices).toEqual(["done", "retry", "skip", "abort"]);
    const input = { type: "INPUT", by: "responder", at } as const;
    expect(refusalOf(run.record, { ...input, input: "yes" })?.field).toBe("decision");
    run.tell({ ...input, decision: "retry" });
    expect(run.performed.map((each) => each.key)).toEqual(["x1/s1/1", "x1/s1/1"]);
    run.answer("STEP_DONE");
    expect(run.record.status).toBe("completed");
  });

  it("believes the truth when it comes while a person is being asked", () => {
    const run = new Run([{ type: "isolate_endpoint" }]);
    run.answer("STEP_UNKNOWN").tell({ type: "STEP_DONE", step_id: "s1", attempt: 1, receipt: null, at });
    expect([run.record.status, run.record.waiting_for]).toEqual(["completed", null]);
  });

  it("ignores the answer to a try that is over", () => {
    const run = new Run([{ type: "comment" }, { type: "comment" }]);
    run.answer("STEP_DONE").tell({ type: "STEP_FAILED", step_id: "s1", attempt: 1, error: "late", at });
    expect(run.states).toEqual(["completed", "running"]);
  });

  it("waits for a person's input and for time, and decides on what it was told", () => {
    const decision = { field: "steps.s1.input", equals: "yes", otherwise: "skip_next" };
    const steps = [
      { type: "human_input" },
      { type: "condition", params: decision },
      { type: "comment" },
    ] as const;
    const run = new Run([...steps, { type: "wait", params: { seconds: 5 } }]);
    run.tell({ type: "INPUT", input: "no", by: "responder", at });
    expect(run.states).toEqual(["completed", "completed", "skipped", "waiting"]);
    expect(run.record.due_at).toBe("2026-03-01T10:00:05.000Z");
    expect(run.tell({ type: "FELL_DUE" }).record.status).toBe("completed");
    expect(run.performed).toEqual([]);
  });

  it("puts its question to a person anew where that may be tried again", () => {
    const run = new Run([{ type: "human_input", on_error: "retry" }]);
    run.tell({ type: "FELL_DUE" });
    expect([run.states, run.record.waiting_for]).toEqual([["retrying"], null]);
    run.tell({ type: "FELL_DUE" });
    expect([run.states, run.record.waiting_for?.kind]).toEqual([["waiting"], "input"]);
    expect(run.tell({ type: "INPUT", input: "yes", by: "responder", at }).record.status).toBe("completed");
    expect(run.performed).toEqual([]);
  });

  it("gets its time anew when the platform was away, and is not carried on for ever", () => {
    const run = new Run([{ type: "comment" }]);
    const away = (hours: number) => `2026-03-01T${10 + hours}:00:00.000Z`;
    run.tell({ type: "FELL_DUE", at: away(1) });
    expect([run.states, run.record.due_at]).toEqual([["running"], "2026-03-01T11:00:15.000Z"]);
    for (let hours = 2; run.record.status === "running"; hours++)
      run.tell({ type: "FELL_DUE", at: away(hours) });
    expect(run.record.error).toContain("no answer in time");
  });

  it("never stays stuck: with nobody answering, its deadlines alone bring every run to an end", () => {
    for (const type of ["isolate_endpoint", "comment", "human_input", "wait"] as const) {
      for (const on_error of ["stop", "continue", "retry", "ask"] as const) {
        const run = new Run([
          { type, on_error },
          { type, on_error },
        ]);
        for (let turns = 0; run.record.status === "running"; turns++) {
          expect(dueOf(run.record)).not.toBeNull();
          expect(turns).toBeLessThan(20);
          run.tell({ type: "FELL_DUE" });
        }
        expect(["completed", "failed"]).toContain(run.record.status);
      }
    }
  });
});

describe("the built-in playbooks", () => {
  it("hold an enabled plain and an enabled critical one that need no parameters", () => {
    const simple = builtInPlaybooks.filter((each) => each.enabled && parametersOf(each).length === 0);
    expect(new Set(simple.map((each) => each.critical))).toEqual(new Set([false, true]));
  });

  it("say which parameters they need, and take their values", () => {
    expect(parametersOf(builtInPlaybooks.find((each) => each.id === "contain-host") as never)).toEqual([
      "endpoint_id",
    ]);
    expect(filled({ text: "{a} and {b}", n: 1 }, { a: "x" })).toEqual({ text: "x and {b}", n: 1 });
  });
});
