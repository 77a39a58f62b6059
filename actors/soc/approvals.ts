/** Approvals: asked for, announced, decided once by somebody else, or timed out. */
import type { Notifier } from "../../drivers/notify/notify.ts";
import type { Condition } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import {
  type Approval,
  type ApprovalEvent,
  type ApprovalInput,
  type ApprovalStatus,
  approvalMachine,
  approvalOf,
  dueOf,
  refusalOf,
} from "../../machines/soc/approval.ts";
import type { Case, CaseEvent } from "../../machines/soc/case-record.ts";
import type { ExecutionEvent } from "../../machines/soc/execution-record.ts";
import { type EntityHost, entityHost } from "../entity.ts";
import type { EntityKind } from "../entity-kind.ts";
import { apiKeyCollection } from "./api-keys.ts";
import { type Asker, metaOf } from "./asker.ts";
import { type ApprovalPort, type Desk, hostOptions, isoNow } from "./desk.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";
import { announcement } from "./notify.ts";

export const approvalCollection = {
  name: "approvals",
  indexes: [
    { fields: ["requested_at"] },
    { fields: ["status", "requested_at"] },
    { fields: ["case_id", "status"] },
  ],
} as const;

/** Who waits for an approval's end. Both are told again after a crash, and must not mind. */
export interface ApprovalPorts {
  cases(): {
    find(id: string): Promise<Case | null>;
    tell(id: string, event: CaseEvent, asker: Asker): Promise<unknown>;
  };
  executions(): {
    find(id: string): Promise<{ status: string } | null>;
    tell(id: string, event: ExecutionEvent, asker: Asker): Promise<unknown>;
  };
  notifier: Notifier | null;
}

const listed = { collection: approvalCollection.name, sorts: ["requested_at", "expires_at"] } as const;
const system = { actor: "system" };
/** How the names of keys begin; a person's never do. */
const keyPrefix = "key:";

export class Approvals implements ApprovalPort {
  readonly #desk: Desk;
  readonly #ports: ApprovalPorts;
  readonly #host: EntityHost<ApprovalEvent, Approval, ApprovalInput>;
  readonly #reporting = new Map<string, Promise<void>>();

  constructor(desk: Desk, ports: ApprovalPorts) {
    this.#desk = desk;
    this.#ports = ports;
    this.#host = entityHost<typeof approvalMachine, Approval>(desk.store, this.#kind(), hostOptions(desk));
  }

  async get(id: string): Promise<Approval> {
    const approval = await this.#host.get(id);
    if (!approval) throw new DomainError("not_found", `there is no approval ${id}`);
    return approval;
  }

  async list(query: ListQuery, status: ApprovalStatus | "all" = "pending"): Promise<List<Approval>> {
    const where = { status: status === "all" ? undefined : status };
    const list = await listOf(this.#desk.store, listed, query, where);
    return { ...list, items: list.items.map(({ due: _, ...doc }) => doc as unknown as Approval) };
  }

  /** The same one however often it is asked for. */
  async request(input: ApprovalInput): Promise<void> {
    const meta = { actor: input.requested_by, at: isoNow(this.#desk) };
    const owner = await this.#ownerOf(input.requested_by);
    await this.#host.createUnique(input.id, { ...input, owner }, meta);
    const { case_id } = input;
    // A case that was deleted meanwhile has cancelled its approvals before it could see this one.
    if (case_id === null || (await this.#isLive(case_id))) return;
    await this.cancel(input.id, "the case was deleted", "system");
  }

  async decide(
    id: string,
    { approved, reason = null }: { approved: boolean; reason?: string | null | undefined },
    asker: Asker,
  ): Promise<Approval> {
    const at = isoNow(this.#desk);
    const event = { type: "DECIDE", approved, reason, by: asker.actor, at } as const;
    const approval = await this.#host.tell(id, event, metaOf(asker, at)).catch(async (error: unknown) => {
      await this.#noteRefused(id, asker, at, error);
      throw error;
    });
    // Done again by the effect, in case we do not come to it.
    await this.#reportEnd(approval);
    return approval;
  }

  /** Somebody tried to decide on their own request: that nothing came of it is worth knowing, too. */
  async #noteRefused(id: string, { actor, cause }: Asker, at: string, error: unknown): Promise<void> {
    if (!(error instanceof DomainError) || error.code !== "forbidden") return;
    const what = { action: "approval.DECIDE", object: `approval/${id}`, result: "refused" } as const;
    await this.#desk.audit.record({ at, actor, ...what, request_id: cause ?? null });
  }

  /** The approval, where it may be used now; otherwise why it may not. */
  async usable(id: string, by: string, at: string): Promise<Approval> {
    const approval = await this.get(id);
    const refusal = refusalOf(approval, { type: "USE", by, at });
    if (refusal) throw DomainError.from(refusal);
    return approval;
  }

  /** The approved action was started; a second time is a mistake of the caller's, refused by the execution. */
  async use(id: string, by: string): Promise<void> {
    await this.#tellUnlessOver(id, { type: "USE", by, at: isoNow(this.#desk) });
  }

  async cancel(id: string, reason: string, by: string): Promise<void> {
    await this.#tellUnlessOver(id, { type: "CANCEL", reason, by, at: isoNow(this.#desk) });
  }

  async cancelForCase(case_id: string, by: string, scope: "review" | "all"): Promise<void> {
    const reason = scope === "review" ? "the request was withdrawn" : "the case was deleted";
    const where: Record<string, Condition> = { case_id, status: "pending" };
    if (scope === "review") where.holds_case = true;
    for (;;) {
      const { items } = await this.#desk.store.find(approvalCollection.name, { where, limit: 100 });
      if (items.length === 0) return;
      await Promise.all(items.map(({ id }) => this.cancel(id, reason, by)));
    }
  }

  async #tellUnlessOver(id: string, event: ApprovalEvent & { by: string; at: string }): Promise<void> {
    try {
      await this.#host.tell(id, event, { actor: event.by, at: event.at });
    } catch (error) {
      const over =
        error instanceof DomainError && ["conflict", "forbidden", "not_found"].includes(error.code);
      if (!over) throw error;
    }
  }

  /** Nobody decides on what their own key asked for, not even after they have deleted it. */
  async #ownerOf(name: string): Promise<string | null> {
    if (!name.startsWith(keyPrefix)) return null;
    const where = { name: name.slice(keyPrefix.length) };
    const { items } = await this.#desk.store.find(apiKeyCollection.name, { where, limit: 1 });
    return (items[0]?.created_by as string | undefined) ?? null;
  }

  async #isLive(case_id: string): Promise<boolean> {
    const record = await this.#ports.cases().find(case_id);
    return record !== null && record.status !== "deleted";
  }

  /** The request and the effect that follows from it both do the same: the second one waits for the first. */
  #reportEnd(approval: Approval): Promise<void> {
    const under = this.#reporting.get(approval.id);
    if (under) return under;
    const mine = this.#report(approval).finally(() => this.#reporting.delete(approval.id));
    this.#reporting.set(approval.id, mine);
    return mine;
  }

  async #report({ id: approval_id, status: outcome, ...approval }: Approval): Promise<void> {
    const at = isoNow(this.#desk);
    const { execution_id, case_id, holds_case, reason, decided_by } = approval;
    if (execution_id !== null && outcome !== "approved") {
      const run = await this.#ports.executions().find(execution_id);
      const event = { type: "APPROVAL_ENDED", approval_id, outcome, at } as const;
      if (run?.status === "pending_approval") {
        await this.#ports.executions().tell(execution_id, event, system);
      }
    }
    if (!holds_case || case_id === null) return;
    const held = await this.#ports.cases().find(case_id);
    if (held?.status !== "pending_approval" || held.approval_id !== approval_id) return;
    const by = decided_by ?? "system";
    const event = { type: "APPROVAL_ENDED", approval_id, outcome, reason, by, at } as const;
    await this.#ports.cases().tell(case_id, event, { actor: by });
  }

  #kind(): EntityKind<typeof approvalMachine, Approval> {
    return {
      name: "approval",
      collection: approvalCollection,
      machine: approvalMachine,
      refusalOf,
      recordOf: approvalOf,
      dueOf,
      effects: {
        announce: async (approval, _, key) => {
          const { notifier } = this.#ports;
          if (!notifier || (await this.#host.get(approval.id))?.status !== "pending") return undefined;
          const outcome = await notifier.send(announcement(approval, isoNow(this.#desk)), key);
          if (outcome.kind !== "answered") throw new DomainError("unavailable", outcome.error);
          return undefined;
        },
        reportEnd: async (approval) => {
          await this.#reportEnd(approval);
          return undefined;
        },
      },
    };
  }
}
