/** A playbook, its steps and its runs, as the API takes and shows them. */
import { z } from "zod";
import {
  decisions,
  executionStatuses,
  onErrors,
  type StepType,
  stepStates,
  stepTypes,
} from "../../../machines/soc/execution-record.ts";
import { changesSomething, Id, Json, line, prose, Severity, Timestamp } from "../schemas.ts";

/** Texts may hold `{name}`, filled from the run's parameters. */
const text = (max: number) => prose(max, 1);
const StepId = z.string().regex(/^[A-Za-z0-9][\w-]{0,63}$/, "must be an id");
const Endpoint = z.strictObject({ endpoint_id: line(200), reason: prose(2000).optional() });
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const paramsOf = {
  http_request: z.strictObject({
    url: line(2048),
    method: z.enum(methods).optional(),
    headers: z
      .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "must be a header's name"), line(4096))
      .optional(),
    body: Json.optional(),
    /** The server takes a repeated `Idempotency-Key` for what it is. */
    idempotent: z.boolean().optional(),
  }),
  isolate_endpoint: Endpoint,
  unisolate_endpoint: Endpoint,
  scan_endpoint: Endpoint,
  block_ioc: z.strictObject({ value: line(2048), type: line(64).optional() }),
  create_case: z.strictObject({
    title: line(500),
    severity: Severity.optional(),
    description: prose(65_536).optional(),
    assignee: line(64).optional(),
  }),
  comment: z.strictObject({ body: text(65_536), case_id: line(200).optional() }),
  assign: z.strictObject({ assignee: line(200), case_id: line(200).optional() }),
  notify: z.strictObject({ text: text(10_000), idempotent: z.boolean().optional() }),
  run_hunt: z.strictObject({ query: text(4096).optional(), hunt_id: line(200).optional() }),
  revoke_certificate: z.strictObject({ device_id: line(200) }),
  human_input: z.strictObject({ prompt: text(2000).optional() }),
  condition: z.strictObject({
    field: line(200),
    equals: z.union([prose(2000), z.number(), z.boolean(), z.null()]).optional(),
    otherwise: z.enum(["stop", "skip_next"]).optional(),
  }),
  wait: z.strictObject({
    seconds: z
      .number()
      .min(0)
      .max(7 * 24 * 3600),
  }),
  generate_report: z.strictObject({
    report_type: z.enum(["investigation", "executive", "compliance"]).optional(),
    format: line(64).optional(),
  }),
} as const satisfies Record<StepType, z.ZodType>;

function stepOf<T extends StepType>(type: T) {
  return z.strictObject({
    id: StepId.optional(),
    type: z.literal(type),
    name: line(200).optional(),
    params: type === "human_input" || type === "generate_report" ? paramsOf[type].optional() : paramsOf[type],
    on_error: z.enum(onErrors).optional(),
    timeout_s: z
      .int()
      .min(1)
      .max(7 * 24 * 3600)
      .optional(),
  });
}

const [first, ...rest] = stepTypes.map(stepOf);
const StepBody = z.discriminatedUnion("type", [first!, ...rest]);

/** Steps without an id, a name or bounds get the usual ones. */
const Steps = z
  .array(StepBody)
  .max(100)
  .transform((steps) =>
    steps.map(({ id, type, name, params, on_error = "stop", timeout_s = 30 }, index) => ({
      ...{ id: id ?? `step-${index + 1}`, type, name: name ?? type.replaceAll("_", " ") },
      ...{ params: (params ?? {}) as Record<string, unknown>, on_error, timeout_s },
    })),
  )
  .refine((steps) => new Set(steps.map(({ id }) => id)).size === steps.length, "have an id twice");

const fields = {
  name: line(200),
  description: prose(10_000),
  critical: z.boolean(),
  enabled: z.boolean(),
  trigger: line(200),
};

export const NewPlaybook = z.strictObject({
  name: fields.name,
  description: fields.description.default(""),
  critical: fields.critical.default(false),
  enabled: fields.enabled.default(true),
  trigger: fields.trigger.default("manual"),
  steps: Steps,
});

export const PlaybookPatch = z
  .strictObject({
    name: fields.name.optional(),
    description: fields.description.optional(),
    critical: fields.critical.optional(),
    enabled: fields.enabled.optional(),
    trigger: fields.trigger.optional(),
    steps: Steps.optional(),
  })
  .refine(...changesSomething);

const stepFields = {
  id: z.string(),
  type: z.enum(stepTypes),
  name: z.string(),
  params: z.record(z.string(), z.unknown()),
  on_error: z.enum(onErrors),
  timeout_s: z.number(),
};
export const PlaybookRecord = z
  .strictObject({
    id: Id,
    ...{ name: z.string(), description: z.string(), critical: z.boolean(), enabled: z.boolean() },
    trigger: z.string(),
    steps: z.array(z.strictObject(stepFields)),
    ...{ created_at: Timestamp, updated_at: Timestamp, version: z.int() },
  })
  .meta({ id: "Playbook" });

const RunStep = z.strictObject({
  ...stepFields,
  state: z.enum(stepStates),
  attempt: z.int(),
  key: z.string(),
  ...{ started_at: Timestamp.nullable(), called_at: Timestamp.nullable(), resumed: z.int() },
  ended_at: Timestamp.nullable(),
  receipt: z.unknown(),
  error: z.string().nullable(),
});

export const ExecutionRecord = z
  .strictObject({
    id: Id,
    ...{ playbook_id: z.string(), playbook_name: z.string(), status: z.enum(executionStatuses) },
    requires_approval: z.boolean(),
    ...{ approval_id: z.string().nullable(), approval_expires_at: Timestamp.nullable() },
    parameters: z.record(z.string(), z.unknown()),
    ...{ case_id: z.string().nullable(), alert_id: z.string().nullable(), requested_by: z.string() },
    simulated: z.boolean(),
    steps: z.array(RunStep),
    ...{ steps_total: z.int(), steps_completed: z.int(), current: z.int() },
    waiting_for: z
      .strictObject({
        kind: z.enum(["input", "unknown", "error"]),
        step_id: z.string(),
        prompt: z.string(),
        choices: z.array(z.string()),
      })
      .nullable(),
    ...{ due_at: Timestamp.nullable(), error: z.string().nullable() },
    ...{ created_at: Timestamp, started_at: Timestamp.nullable(), ended_at: Timestamp.nullable() },
    updated_at: Timestamp,
    version: z.int(),
  })
  .meta({ id: "Execution" });

const smallEnough = (value: unknown) => JSON.stringify(value).length <= 65_536;

export const ExecuteBody = z.strictObject({
  parameters: z
    .record(z.string().regex(/^[A-Za-z_][\w-]{0,63}$/, "must be a parameter's name"), Json)
    .refine(smallEnough, "must be at most 65536 characters long")
    .optional(),
  case_id: Id.nullable().optional(),
  alert_id: Id.nullable().optional(),
});

export const StartedReply = z
  .strictObject({
    execution_id: Id,
    ...{ playbook_id: z.string(), playbook_name: z.string(), status: z.enum(executionStatuses) },
    ...{ approval_id: z.string().nullable(), requires_approval: z.boolean() },
    ...{ steps_total: z.int(), steps_completed: z.int(), message: z.string() },
  })
  .meta({ id: "Started" });

export const InputBody = z
  .strictObject({
    step_id: StepId.optional(),
    decision: z.enum(decisions).optional(),
    input: Json.refine(smallEnough, "must be at most 65536 characters long").optional(),
  })
  .refine((body) => body.decision !== undefined || body.input !== undefined, {
    path: ["decision"],
    message: "or input is required",
  });

export const RuleRecord = z
  .strictObject({ id: Id, name: z.string(), enabled: z.boolean(), created_at: Timestamp })
  .meta({ id: "SoarRule" });
