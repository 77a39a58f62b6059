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
    description: "Records that triage has begun on the case, where there is one, and writes a short report.",
    critical: false,
    enabled: true,
    trigger: "manual",
    steps: [
      step(
        "note",
        "comment",
        "Note the start",
        { body: "Triage started by playbook." },
        { on_error: "continue" },
      ),
      step("pause", "wait", "Let late events arrive", { seconds: 1 }),
      step("report", "generate_report", "Write the report", { report_type: "investigation" }),
    ],
  },
  {
    id: "critical-review",
    name: "Critical incident review",
    description: "After an approval: notes the decision and writes the report for management.",
    critical: true,
    enabled: true,
    trigger: "manual",
    steps: [
      step(
        "note",
        "comment",
        "Note the approval",
        { body: "Critical review approved and started." },
        { on_error: "continue" },
      ),
      step("report", "generate_report", "Write the report", { report_type: "executive" }),
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
      step("hunt", "run_hunt", "Look for it", { query: '"{value}"' }, { on_error: "retry", timeout_s: 60 }),
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

/** The parameters that a playbook's texts ask for. */
export function parametersOf(playbook: Pick<Playbook, "steps">): string[] {
  const names = new Set<string>();
  for (const each of playbook.steps) {
    for (const value of Object.values(each.params)) {
      if (typeof value !== "string") continue;
      for (const [, name] of value.matchAll(/\{([a-z_]+)\}/g)) if (name !== undefined) names.add(name);
    }
  }
  return [...names];
}

/** Fills `{name}` in a step's texts; a name without a value stays as it is. */
export function filled(
  params: Record<string, unknown>,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const fill = (value: unknown): unknown =>
    typeof value === "string"
      ? value.replace(/\{([a-z_]+)\}/g, (whole, name: string) =>
          Object.hasOwn(values, name) ? String(values[name]) : whole,
        )
      : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, fill(value)]));
}
