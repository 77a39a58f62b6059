/** The playbooks that a fresh store holds. */
import type { Playbook, PlaybookStep, StepType } from "./execution-record.ts";

function step(
  id: string,
  type: StepType,
  name: string,
  params: Record<string, unknown> = {},
  more: Partial<Pick<PlaybookStep, "on_error" | "timeout_s">> = {},
): PlaybookStep {
  return { id, type, name, params, on_error: "stop", timeout_s: 30, ...more };
}

/** `{name}` in a text stands for the parameter of that name. */
export const builtInPlaybooks: readonly Playbook[] = [
  {
    id: "triage-note",
    name: "Triage note",
    description: "Records on the case, where there is one, that triage has begun.",
    critical: false,
    enabled: true,
    trigger: "manual",
    steps: [
      step("case", "condition", "Is there a case?", { field: "case_id", otherwise: "skip_next" }),
      step(
        "note",
        "comment",
        "Note the start",
        { body: "Triage started by playbook." },
        { on_error: "continue" },
      ),
      step("pause", "wait", "Let late events arrive", { seconds: 1 }),
    ],
  },
  {
    id: "critical-review",
    name: "Critical incident review",
    description: "After an approval: notes the decision on the case, where there is one.",
    critical: true,
    enabled: true,
    trigger: "manual",
    steps: [
      step("case", "condition", "Is there a case?", { field: "case_id", otherwise: "skip_next" }),
      step(
        "note",
        "comment",
        "Note the approval",
        { body: "Critical review approved and started." },
        { on_error: "continue" },
      ),
      step("pause", "wait", "Let late events arrive", { seconds: 1 }),
    ],
  },
  {
    id: "contain-host",
    name: "Contain a host",
    description: "Isolates an endpoint, scans it, and tells the people on duty.",
    critical: true,
    enabled: true,
    trigger: "manual",
    steps: [
      step(
        "isolate",
        "isolate_endpoint",
        "Isolate the endpoint",
        { endpoint_id: "{endpoint_id}" },
        { on_error: "ask" },
      ),
      step(
        "scan",
        "scan_endpoint",
        "Scan it",
        { endpoint_id: "{endpoint_id}" },
        { on_error: "retry", timeout_s: 120 },
      ),
      step(
        "tell",
        "notify",
        "Tell the people on duty",
        { text: "{endpoint_id} is isolated" },
        { on_error: "continue" },
      ),
      step(
        "note",
        "comment",
        "Note it on the case",
        { body: "{endpoint_id} isolated and scanned." },
        { on_error: "continue" },
      ),
    ],
  },
  {
    id: "release-host",
    name: "Release a host",
    description: "Asks whether the endpoint is clean, then takes it out of isolation.",
    critical: true,
    enabled: true,
    trigger: "manual",
    steps: [
      step(
        "ask",
        "human_input",
        "Is it clean?",
        { prompt: "Is {endpoint_id} clean?" },
        { timeout_s: 8 * 3600 },
      ),
      step("clean", "condition", "Only when it is clean", { field: "steps.ask.input", equals: "yes" }),
      step(
        "release",
        "unisolate_endpoint",
        "Release the endpoint",
        { endpoint_id: "{endpoint_id}" },
        { on_error: "ask" },
      ),
    ],
  },
  {
    id: "block-indicator",
    name: "Block an indicator",
    description: "Puts an indicator on the block list, hunts for it, and opens a case when it was seen.",
    critical: false,
    enabled: true,
    trigger: "manual",
    steps: [
      step("block", "block_ioc", "Block it", { value: "{value}" }, { on_error: "retry" }),
      step(
        "hunt",
        "run_hunt",
        "Look for it",
        { query: '"{value}"' },
        { on_error: "continue", timeout_s: 60 },
      ),
      step("seen", "condition", "Was it seen?", { field: "steps.hunt.matched", equals: true }),
      step("open", "create_case", "Open a case", { title: "{value} was seen", severity: "high" }),
    ],
  },
  {
    id: "revoke-device",
    name: "Revoke a device",
    description: "Revokes a device's certificate and assigns the case to whoever asked.",
    critical: true,
    enabled: false,
    trigger: "manual",
    steps: [
      step(
        "revoke",
        "revoke_certificate",
        "Revoke the certificate",
        { device_id: "{device_id}" },
        { on_error: "ask" },
      ),
      step("assign", "assign", "Assign the case", { assignee: "{assignee}" }, { on_error: "continue" }),
    ],
  },
];

const placeholder = /\{([a-z_]+)\}/g;
/** Filled from the run itself. */
const given = ["case_id", "alert_id", "execution_id"];

/** The names that a playbook's texts ask for; `case_id` and `alert_id` are the run's own. */
export function parametersOf(playbook: Pick<Playbook, "steps">): string[] {
  const names = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === "string") {
      for (const [, name] of value.matchAll(placeholder)) if (name !== undefined) names.add(name);
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  for (const each of playbook.steps) look(each.params);
  return [...names].filter((name) => name !== "execution_id");
}

/** What a run was not given and its playbook asks for. */
export function missingOf(
  playbook: Pick<Playbook, "steps">,
  run: { parameters: Record<string, unknown>; case_id: string | null; alert_id: string | null },
): string[] {
  const values: Record<string, unknown> = { ...run.parameters, case_id: run.case_id, alert_id: run.alert_id };
  return parametersOf(playbook)
    .filter((name) => !Object.hasOwn(values, name) || values[name] === null)
    .map((name) => (given.includes(name) ? name : `parameters.${name}`));
}

/** Fills `{name}` in a step's texts, however deep; a name without a value stays as it is. */
export function filled<T>(params: T, values: Record<string, unknown>): T {
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return filledText(value, values, (text) => text);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]));
  };
  return fill(params) as T;
}

/** Values inside an address are escaped, so that they stay where the playbook's author put them. */
export function filledUrl(url: string, values: Record<string, unknown>): string {
  const whole = /^\{[a-z_]+\}$/.test(url);
  return filledText(url, values, whole ? (text) => text : encodeURIComponent);
}

function filledText(
  text: string,
  values: Record<string, unknown>,
  escaped: (value: string) => string,
): string {
  return text.replace(placeholder, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) return whole;
    const value = values[name];
    return escaped(typeof value === "string" ? value : JSON.stringify(value));
  });
}
