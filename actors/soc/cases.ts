/** Cases: opened, worked, closed and deleted; what they hold is added step by step. */
import { DomainError } from "../../machines/errors.ts";
import type { Alert, NewCase, Severity } from "../../machines/soc/alert.ts";
import { defaultTtlHours, expiresAt } from "../../machines/soc/approval.ts";
import { alertsKept, type caseMachine } from "../../machines/soc/case.ts";
import type {
  Case,
  CaseChanges,
  CaseEvent,
  CaseInput,
  CaseStatus,
  Resolution,
} from "../../machines/soc/case-record.ts";
import { type EntityHost, entityHost } from "../entity.ts";
import type { Alerts } from "./alerts.ts";
import { type Asker, metaOf } from "./asker.ts";
import { type CaseEffects, caseKind } from "./case-kind.ts";
import { CaseShelf, type ShownCase, shownCase } from "./case-parts.ts";
import { type ApprovalPort, type Desk, hostOptions, isoNow } from "./desk.ts";
import { newId } from "./ids.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export interface NewCaseBody {
  title: string;
  severity: Severity;
  description?: string | undefined;
  assignee?: string | null | undefined;
  alert_ids?: string[] | undefined;
}

export interface CasePatch extends CaseChanges {
  status?: CaseStatus;
  resolution?: Resolution;
  summary?: string;
  requires_human_approval?: boolean;
}

export interface CaseFilter {
  status?: string | undefined;
  severity?: string | undefined;
  assignee?: string | undefined;
}

const listed = {
  collection: "cases",
  sorts: ["created_at", "updated_at", "title"],
  where: { status: { not: "deleted" } },
} as const;

export class Cases {
  readonly shelf: CaseShelf;
  readonly #desk: Desk;
  readonly #alerts: () => Alerts;
  readonly #approvals: () => ApprovalPort;
  readonly #host: EntityHost<CaseEvent, Case, CaseInput>;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(desk: Desk, alerts: () => Alerts, approvals: () => ApprovalPort) {
    this.#desk = desk;
    this.#alerts = alerts;
    this.#approvals = approvals;
    this.shelf = new CaseShelf(desk.store);
    const kind = caseKind(this.#effects, desk.audit);
    this.#host = entityHost<typeof caseMachine, Case>(desk.store, kind, hostOptions(desk));
  }

  async create(body: NewCaseBody, asker: Asker): Promise<ShownCase> {
    const alert_ids = [...new Set(body.alert_ids ?? [])];
    await this.#refuseAlerts(alert_ids);
    const id = newId("case", this.#desk.now());
    const { title, severity, description = "", assignee = null } = body;
    const at = isoNow(this.#desk);
    const input = {
      id,
      title,
      severity,
      description,
      assignee,
      alert_ids,
      promoted_from: null,
      by: asker.actor,
      at,
    };
    const record = await this.#host.create(id, input, metaOf(asker, at));
    // Done again by the effect, in case we do not come to it.
    await this.#effects.takeAlerts(record, alert_ids, asker.actor);
    return shownCase(alert_ids.length === 0 ? record : await this.live(id));
  }

  /** Deleted ones are not there. */
  async live(id: string): Promise<Case> {
    const record = await this.#host.get(id);
    if (!record || record.status === "deleted") throw new DomainError("not_found", `there is no case ${id}`);
    return record;
  }

  /** The whole case as JSON text. */
  async text(id: string): Promise<Buffer> {
    return this.shelf.text(await this.live(id));
  }

  async list(query: ListQuery, filter: CaseFilter = {}): Promise<List<ShownCase>> {
    const list = await listOf(this.#desk.store, listed, query, { ...filter });
    return { ...list, items: list.items.map((doc) => shownCase(doc as unknown as Case)) };
  }

  async change(id: string, patch: CasePatch, asker: Asker, at_version?: number): Promise<ShownCase> {
    const event = this.#eventOf(patch, asker, at_version);
    const record = await this.tell(id, event, asker);
    if (event.type === "REQUEST_APPROVAL" && record.approval_id === event.approval_id) {
      await this.#effects.requestApproval(record, event);
    }
    if (event.type === "WITHDRAW_APPROVAL") await this.#effects.cancelApprovals(id, asker.actor, "review");
    return shownCase(record);
  }

  async delete(id: string, asker: Asker): Promise<void> {
    await this.tell(id, { type: "DELETE", by: asker.actor, at: isoNow(this.#desk) }, asker);
    await this.#effects.releaseAlerts(id, asker.actor);
    await this.#effects.cancelApprovals(id, asker.actor, "all");
  }

  tell(id: string, event: CaseEvent, asker: Asker): Promise<Case> {
    return this.#host.tell(id, event, metaOf(asker, event.at));
  }

  /**
   * A step that was worked out on what is stored beside the record: tried again when the case has moved on,
   * so that two of them never build on the same end.
   */
  async tellOn<T>(id: string, asker: Asker, plan: (record: Case) => Promise<{ event: CaseEvent; reply: T }>) {
    for (let turn = 0; turn < 30; turn++) {
      const record = await this.live(id);
      const { event, reply } = await plan(record);
      try {
        await this.tell(id, { ...event, at_version: record.version }, asker);
        return reply;
      } catch (error) {
        if (!(error instanceof DomainError) || error.field !== "version") throw error;
      }
    }
    throw new DomainError("unavailable", `too many change case ${id} at once`);
  }

  /** The case of a promoted alert; the same one however often it is asked for. */
  async openFor(alert: Alert, { case_id, description, assignee, by }: NewCase): Promise<void> {
    const at = isoNow(this.#desk);
    const input: CaseInput = {
      id: case_id,
      title: alert.title,
      severity: alert.severity,
      description: description ?? alert.description,
      assignee: assignee ?? alert.assignee,
      alert_ids: [alert.id],
      promoted_from: alert.id,
      by,
      at,
    };
    await this.#host.createUnique(case_id, input, { actor: by, at });
  }

  /** A case under an id of the caller's choice; the same one however often it is asked for. */
  async openOnce(input: CaseInput): Promise<void> {
    await this.#host.createUnique(input.id, input, { actor: input.by, at: input.at });
  }

  linkAlert(case_id: string, alert_id: string, by: string): Promise<void> {
    return this.#once(`link ${case_id} ${alert_id}`, async () => {
      const { alert_ids } = await this.live(case_id);
      if (alert_ids.includes(alert_id)) return;
      await this.tell(case_id, { type: "ALERT_LINKED", alert_id, by, at: isoNow(this.#desk) }, { actor: by });
    });
  }

  /** The request and the effect that follows from it both do the same: the second one waits for the first. */
  #once(key: string, work: () => Promise<void>): Promise<void> {
    const under = this.#underWay.get(key);
    if (under) return under;
    const mine = work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, mine);
    return mine;
  }

  readonly #effects: CaseEffects = {
    takeAlerts: (record, alert_ids, by) =>
      this.#once(`take ${record.id}`, () => this.#takeAll(record, alert_ids, by)),
    releaseAlerts: (case_id, by) =>
      this.#once(`free ${case_id}`, () => this.#alerts().releaseFrom(case_id, by)),
    requestApproval: async (record, { approval_id, by, at }) => {
      await this.#approvals().request({
        ...{ id: approval_id, action: `Review case ${record.title}`, justification: null, requested_by: by },
        ...{ playbook_id: null, execution_id: null, case_id: record.id, holds_case: true, parameters: {} },
        ...{ requested_at: at, expires_at: expiresAt(at, defaultTtlHours) },
      });
    },
    cancelApprovals: (case_id, by, scope) => this.#approvals().cancelForCase(case_id, by, scope),
  };

  async #takeAll({ id }: Case, alert_ids: readonly string[], by: string): Promise<void> {
    if (alert_ids.length === 0) return;
    const isThere = async () => (await this.#host.get(id))?.status !== "deleted";
    if (!(await isThere())) return;
    for (const alert_id of alert_ids) await this.#take(id, alert_id, by);
    // Deleted while its alerts were still being told of it: nobody else would let them go.
    if (!(await isThere())) await this.#alerts().releaseFrom(id, by);
  }

  async #take(case_id: string, alert_id: string, by: string): Promise<void> {
    const at = isoNow(this.#desk);
    try {
      if ((await this.#alerts().get(alert_id)).case_id === case_id) return;
      await this.#alerts().tell(alert_id, { type: "CASE_TOOK", case_id, by, at }, { actor: by });
    } catch (error) {
      if (!(error instanceof DomainError) || (error.code !== "not_found" && error.code !== "conflict"))
        throw error;
      const lost = { type: "ALERT_LOST", alert_id, reason: error.message, by: "system", at } as const;
      await this.tell(case_id, lost, { actor: "system" });
    }
  }

  async #refuseAlerts(alert_ids: readonly string[]): Promise<void> {
    const field = "alert_ids";
    if (alert_ids.length > alertsKept) {
      throw new DomainError("invalid_input", `alert_ids: at most ${alertsKept}`, { field });
    }
    for (const alert of await Promise.all(alert_ids.map((id) => this.#alerts().get(id)))) {
      const taken = alert.case_id === null ? null : `already belongs to case ${alert.case_id}`;
      const reason = taken ?? (alert.status === "closed" ? "is closed" : null);
      if (reason) throw new DomainError("conflict", `alert ${alert.id} ${reason}`, { field });
    }
  }

  #eventOf(patch: CasePatch, asker: Asker, at_version: number | undefined): CaseEvent {
    const { status, resolution, summary, requires_human_approval: asks, ...changes } = patch;
    const version = at_version === undefined ? {} : { at_version };
    const step = { by: asker.actor, at: isoNow(this.#desk), changes, ...version };
    if (asks === true || status === "pending_approval") {
      return { type: "REQUEST_APPROVAL", approval_id: newId("approval", this.#desk.now()), ...step };
    }
    if (asks === false && status === undefined) return { type: "WITHDRAW_APPROVAL", ...step };
    switch (status) {
      case "open":
        return { type: "REOPEN", ...step };
      case "investigating":
        return { type: "INVESTIGATE", ...step };
      case "contained":
        return { type: "CONTAIN", ...step };
      case "resolved":
        return { type: "RESOLVE", ...step };
      case "closed":
        if (resolution && summary) return { type: "CLOSE", resolution, summary, ...step };
        throw new DomainError("invalid_input", "resolution, summary: closing needs both", {
          field: "resolution",
        });
      case undefined:
        return { type: "EDIT", ...step };
    }
  }
}
