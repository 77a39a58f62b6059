/** How a run goes from step to step: plain functions over its record. */
import type { ExecutionContext, RunStep, StepState, WaitingFor } from "./execution-record.ts";
import { isExternal } from "./execution-record.ts";

export const maxAttempts = 3;
/** How long a person has to answer when nobody said otherwise. */
const patienceS = 24 * 3600;
/** The performer's own time-out comes first; this is the watchdog behind it. */
const graceS = 5;
/** A run whose platform keeps going away is not carried on for ever. */
const maxResumed = 10;

export function later(at: string, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString();
}

export function currentStep(run: ExecutionContext): RunStep | undefined {
  return run.steps[run.current];
}

function withStep(run: ExecutionContext, changes: Partial<RunStep>): ExecutionContext {
  const steps = run.steps.map((step, index) => (index === run.current ? { ...step, ...changes } : step));
  return { ...run, steps };
}

/** Begins the next step that is still to be done; conditions are decided on the way. */
export function begin(run: ExecutionContext, at: string): ExecutionContext {
  const current = run.steps.findIndex((step) => step.state === "pending");
  if (current < 0) {
    return { ...run, current: run.steps.length, due_at: null, waiting_for: null, updated_at: at };
  }
  const next = { ...run, current, waiting_for: null, updated_at: at };
  const step = next.steps[current] as RunStep;
  if (step.type === "condition") return begin(decide(next, step, at), at);
  if (step.type === "wait") return waiting(next, at, later(at, secondsOf(step.params.seconds)), null);
  return step.type === "human_input" ? askForInput(next, at) : attempt(next, at);
}

function askForInput(run: ExecutionContext, at: string): ExecutionContext {
  const { id: step_id, params, name, timeout_s } = currentStep(run) as RunStep;
  const prompt = typeof params.prompt === "string" ? params.prompt : name;
  const waiting_for: WaitingFor = { kind: "input", step_id, prompt, choices: [] };
  return waiting(run, at, later(at, timeout_s), waiting_for);
}

function waiting(
  run: ExecutionContext,
  at: string,
  due_at: string,
  waiting_for: WaitingFor | null,
): ExecutionContext {
  const { attempt, started_at } = currentStep(run) as RunStep;
  const begun = {
    state: "waiting",
    started_at: started_at ?? at,
    attempt: attempt + 1,
    error: null,
  } as const;
  return { ...withStep(run, begun), due_at, waiting_for, updated_at: at };
}

/** One try of the current step, performed by the effect `performStep`. */
export function attempt(run: ExecutionContext, at: string, newKey = false): ExecutionContext {
  const step = currentStep(run) as RunStep;
  const count = step.attempt + 1;
  const begun = withStep(run, {
    state: "running",
    attempt: count,
    started_at: step.started_at ?? at,
    called_at: null,
    resumed: 0,
    error: null,
    key: step.key === "" || newKey ? `${run.id}/${step.id}/${count}` : step.key,
  });
  return { ...begun, waiting_for: null, due_at: later(at, step.timeout_s + graceS), updated_at: at };
}

/** A person wants it tried again. In doubt the key stays, so that it cannot happen twice. */
export function again(run: ExecutionContext, at: string): ExecutionContext {
  if (currentStep(run)?.type === "human_input") return askForInput(run, at);
  // After a certain failure the same key would only bring that failure back.
  return attempt(run, at, run.waiting_for?.kind === "error");
}

/** An adapter that honours no keys is about to be asked; it will not be asked again in this try. */
export function called(run: ExecutionContext, at: string): ExecutionContext {
  return { ...withStep(run, { called_at: at }), updated_at: at };
}

/** Ends the current step and begins the next. */
export function finish(
  run: ExecutionContext,
  state: StepState,
  at: string,
  changes: Partial<RunStep> = {},
): ExecutionContext {
  const ended = withStep(run, { ...changes, state, ended_at: at });
  const steps_completed = ended.steps.filter((step) => step.state === "completed").length;
  return begin({ ...ended, steps_completed }, at);
}

/** A certain failure: what `on_error` says. */
export function fail(run: ExecutionContext, error: string, at: string): ExecutionContext {
  const step = currentStep(run) as RunStep;
  switch (step.on_error) {
    case "continue":
      return finish(run, "failed", at, { error });
    case "ask":
      return question(withStep(run, { state: "failed", error }), "error", error, at);
    case "retry":
      if (step.attempt < maxAttempts) {
        const resting = withStep(run, { state: "retrying", error });
        const due_at = later(at, 2 ** (step.attempt - 1));
        return { ...resting, waiting_for: null, due_at, updated_at: at };
      }
      return broken(run, error, at);
    case "stop":
      return broken(run, error, at);
  }
}

/** Nobody knows whether it happened: a person looks and says. */
export function doubt(run: ExecutionContext, error: string, at: string): ExecutionContext {
  return question(withStep(run, { state: "unknown", error }), "unknown", error, at);
}

function question(
  run: ExecutionContext,
  kind: "unknown" | "error",
  error: string,
  at: string,
): ExecutionContext {
  const step = currentStep(run) as RunStep;
  const choices = kind === "unknown" ? ["done", "retry", "skip", "abort"] : ["retry", "skip", "abort"];
  const prompt =
    kind === "unknown" ? `Did "${step.name}" happen? ${error}` : `"${step.name}" failed: ${error}`;
  const waiting_for: WaitingFor = { kind, step_id: step.id, prompt, choices };
  return { ...run, waiting_for, due_at: later(at, patienceS), updated_at: at };
}

/** The run cannot go on; the chart sees it by `error` and ends. */
export function broken(run: ExecutionContext, error: string, at: string): ExecutionContext {
  const step = currentStep(run);
  const ended = withStep(run, { state: "failed", error, ended_at: at });
  return { ...ended, error: `${step?.name}: ${error}`, updated_at: at };
}

/** The deadline of whatever was under way has passed. */
export function overdue(run: ExecutionContext, at: string): ExecutionContext {
  const step = currentStep(run) as RunStep;
  if (run.waiting_for !== null && run.waiting_for.kind !== "input")
    return broken(run, "nobody answered in time", at);
  if (step.state === "retrying") {
    return step.type === "human_input" ? askForInput(run, at) : attempt(run, at, true);
  }
  if (step.state === "waiting" && step.type === "wait") return finish(run, "completed", at);
  if (step.state === "waiting") return fail(run, "nobody answered in time", at);
  if (wasAway(run, at) && step.resumed < maxResumed) {
    // What was outstanding is being performed again: it gets its time.
    const resumed = withStep(run, { resumed: step.resumed + 1 });
    return { ...resumed, due_at: later(at, step.timeout_s + graceS), updated_at: at };
  }
  return isExternal(step.type) ? doubt(run, "no answer in time", at) : fail(run, "no answer in time", at);
}

/** A deadline is told within a second, unless nobody was there to tell it. */
function wasAway(run: ExecutionContext, at: string): boolean {
  return run.due_at !== null && Date.parse(at) > Date.parse(run.due_at) + graceS * 1000;
}

function secondsOf(value: unknown): number {
  return typeof value === "number" && value >= 0 ? Math.min(value, 7 * 24 * 3600) : 1;
}

/** `{ field, equals, otherwise }`: a field of parameters or of an earlier step's receipt; else skip the next or stop. */
function decide(run: ExecutionContext, step: RunStep, at: string): ExecutionContext {
  const value = valueAt(run, String(step.params.field ?? ""));
  const holds = "equals" in step.params ? value === step.params.equals : Boolean(value);
  const decided = withStep(run, {
    state: "completed",
    attempt: 1,
    started_at: at,
    ended_at: at,
    receipt: { holds },
  });
  const skipped = holds ? [] : step.params.otherwise === "skip_next" ? [run.current + 1] : null;
  const steps = decided.steps.map((each, index) =>
    (skipped === null ? index > run.current : skipped.includes(index))
      ? { ...each, state: "skipped" as const, ended_at: at }
      : each,
  );
  return { ...decided, steps, steps_completed: steps.filter((each) => each.state === "completed").length };
}

function valueAt(run: ExecutionContext, path: string): unknown {
  const receipts = Object.fromEntries(run.steps.map((step) => [step.id, step.receipt]));
  const { case_id, alert_id, parameters } = run;
  let value: unknown = { parameters, steps: receipts, case_id, alert_id };
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
