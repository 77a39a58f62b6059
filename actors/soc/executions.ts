/** Runs of playbooks: asked for, approved where they must be, performed step by step, and always ended. */
import { DomainError } from "../../machines/errors.ts";
import { defaultTtlHours, expiresAt } from "../../machines/soc/approval.ts";
import type { ActionReport } from "../../machines/soc/edr-endpoint.ts";
import type { executionMachine } from "../../machines/soc/execution.ts";
import type {
  Decision,
  Execution,
  ExecutionEvent,
  ExecutionInput,
} from "../../machines/soc/execution-record.ts";
import { missingOf } from "../../machines/soc/playbooks.ts";
import { type EntityHost, entityHost } from "../entity.ts";
import type { Approvals } from "./approvals.ts";
import { type Asker, metaOf } from "./asker.ts";
import { type Desk, hostOptions, isoNow } from "./desk.ts";
import { approvalFor, executionCollection, executionKind } from "./execution-kind.ts";
import type { StepWorld } from "./execution-steps.ts";
import { newId } from "./ids.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";
import type { Playbooks, StoredPlaybook } from "./playbooks.ts";

export interface ExecutionPorts extends StepWorld {
  playbooks: Pick<Playbooks, "get">;
  approvals(): Approvals;
  /** In a dry run external steps leave receipts and touch nothing. */
  simulates(): boolean;
}

export interface Wish {
  parameters?: Record<string, unknown> | undefined;
  case_id?: string | null | undefined;
  alert_id?: string | null | undefined;
}

/** What whoever asked for a run is told. */
export interface Started {
  execution_id: string;
  playbook_id: string;
  playbook_name: string;
  status: Execution["status"];
  approval_id: string | null;
  requires_approval: boolean;
  steps_total: number;
  steps_completed: number;
  message: string;
}

export interface ExecutionFilter {
  status?: string | undefined;
  playbook_id?: string | undefined;
  case_id?: string | undefined;
}

const listed = { collection: executionCollection.name, sorts: ["created_at", "updated_at"] } as const;

export class Executions {
  readonly #desk: Desk;
  readonly #ports: ExecutionPorts;
  readonly #host: EntityHost<ExecutionEvent, Execution, ExecutionInput>;
  readonly #underWay = new Map<string, AbortController>();

  constructor(desk: Desk, ports: ExecutionPorts) {
    this.#desk = desk;
    this.#ports = ports;
    const kind = executionKind(ports, {
      find: (id) => this.find(id),
      tell: (id, event) => this.tell(id, event, { actor: "system" }),
      underWay: this.#underWay,
    });
    this.#host = entityHost<typeof executionMachine, Execution>(desk.store, kind, hostOptions(desk));
  }

  find(id: string): Promise<Execution | null> {
    return this.#host.get(id);
  }

  async get(id: string): Promise<Execution> {
    const run = await this.find(id);
    if (!run) throw new DomainError("not_found", `there is no execution ${id}`);
    return run;
  }

  async list(query: ListQuery, filter: ExecutionFilter = {}): Promise<List<Execution>> {
    const list = await listOf(this.#desk.store, listed, query, { ...filter });
    return { ...list, items: list.items.map(({ due: _, ...doc }) => doc as unknown as Execution) };
  }

  tell(id: string, event: ExecutionEvent, asker: Asker): Promise<Execution> {
    return this.#host.tell(id, event, metaOf(asker, event.at ?? isoNow(this.#desk)));
  }

  /** A new run, or with an approval the one that waits for it. */
  async execute(
    playbook_id: string,
    wish: Wish,
    asker: Asker,
    approval_id?: string | undefined,
  ): Promise<Started> {
    const playbook = await this.#ports.playbooks.get(playbook_id);
    const run =
      approval_id === undefined
        ? await this.#begin(playbook, wish, asker)
        : await this.#replay(playbook, wish, asker, approval_id);
    return startedOf(run);
  }

  async cancel(id: string, reason: string | null, asker: Asker): Promise<Execution> {
    const event = { type: "CANCEL", reason, by: asker.actor, at: isoNow(this.#desk) } as const;
    const run = await this.tell(id, event, asker);
    this.#underWay.get(id)?.abort();
    return run;
  }

  input(
    id: string,
    answer: { step_id?: string | undefined; decision?: Decision | undefined; input?: unknown },
    asker: Asker,
  ): Promise<Execution> {
    const { step_id, decision, input } = answer;
    const event: ExecutionEvent = { type: "INPUT", by: asker.actor, at: isoNow(this.#desk) };
    if (step_id !== undefined) event.step_id = step_id;
    if (decision !== undefined) event.decision = decision;
    if (input !== undefined) event.input = input;
    return this.tell(id, event, asker);
  }

  /** An endpoint says how the action of a step ended. */
  async report({ execution_id, step_id, key, outcome, receipt }: ActionReport): Promise<void> {
    const run = await this.find(execution_id);
    const step = run?.steps[run.current];
    // The key names the request: a later try under the same key is still the same request.
    if (run?.status !== "running" || step?.id !== step_id || step.key !== key) return;
    if (outcome === "unknown" && step.state === "unknown") return;
    const said = { step_id, attempt: step.attempt, at: isoNow(this.#desk) };
    const event: ExecutionEvent =
      outcome === "done"
        ? { type: "STEP_DONE", ...said, receipt }
        : { type: outcome === "failed" ? "STEP_FAILED" : "STEP_UNKNOWN", ...said, error: String(receipt) };
    await this.tell(execution_id, event, { actor: "system" });
  }

  async #begin(playbook: StoredPlaybook, wish: Wish, asker: Asker): Promise<Execution> {
    const { parameters = {}, case_id = null, alert_id = null } = wish;
    const [missing] = missingOf(playbook, { parameters, case_id, alert_id });
    if (missing) throw new DomainError("invalid_input", `${missing}: is required`, { field: missing });
    if (case_id !== null) await this.#ports.cases().live(case_id);
    if (alert_id !== null) await this.#ports.alerts().get(alert_id);
    refuseDisabled(playbook);
    const at = isoNow(this.#desk);
    const id = newId("execution", this.#desk.now());
    const approval_id = playbook.critical ? newId("approval", this.#desk.now()) : null;
    const { name, description, critical, enabled, trigger, steps } = playbook;
    const run = await this.#host.create(
      id,
      {
        ...{ id, parameters, case_id, alert_id, requested_by: asker.actor, approval_id, at },
        playbook: { id: playbook.id, name, description, critical, enabled, trigger, steps },
        approval_expires_at: approval_id && expiresAt(at, defaultTtlHours),
        simulated: this.#ports.simulates(),
      },
      metaOf(asker, at),
    );
    // Done again by the effect, in case we do not come to it.
    if (approval_id !== null) await this.#ports.approvals().request(approvalFor(run));
    return run;
  }

  /** Approving runs nothing: this does, once. */
  async #replay(playbook: StoredPlaybook, wish: Wish, asker: Asker, approval_id: string): Promise<Execution> {
    const at = isoNow(this.#desk);
    const approval = await this.#ports.approvals().usable(approval_id, asker.actor, at);
    if (approval.playbook_id !== playbook.id || approval.execution_id === null) {
      throw new DomainError("conflict", "the approval is for something else", { field: "approval_id" });
    }
    const waiting = await this.get(approval.execution_id);
    for (const field of ["case_id", "alert_id"] as const) {
      if ((wish[field] ?? waiting[field]) === waiting[field]) continue;
      throw new DomainError("conflict", `the approval is for another ${field}`, { field });
    }
    refuseDisabled(playbook);
    const { parameters } = wish;
    const start = { type: "START", approval_id, by: asker.actor, at } as const;
    return this.tell(waiting.id, parameters === undefined ? start : { ...start, parameters }, asker);
  }
}

function refuseDisabled({ enabled, name }: StoredPlaybook): void {
  if (enabled) return;
  throw new DomainError("conflict", `the playbook ${name} is disabled`, { field: "enabled" });
}

const messages: Record<Execution["status"], string> = {
  pending_approval: "The playbook is critical: decide on the approval, then execute again with approval_id.",
  running: "The playbook is running.",
  completed: "The playbook has completed.",
  failed: "The playbook has failed.",
  cancelled: "The playbook was cancelled.",
};

function startedOf(run: Execution): Started {
  const { id: execution_id, playbook_id, playbook_name, status, approval_id, requires_approval } = run;
  const { steps_total, steps_completed } = run;
  const about = { execution_id, playbook_id, playbook_name, status, approval_id, requires_approval };
  return { ...about, steps_total, steps_completed, message: messages[status] };
}
