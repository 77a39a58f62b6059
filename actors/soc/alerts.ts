/** Alerts: raised once per fingerprint, listed, worked, and handed to cases. */
import { sha256 } from "../../drivers/keys/ed25519.ts";
import { DomainError } from "../../machines/errors.ts";
import {
  type Alert,
  type AlertChanges,
  type AlertEvent,
  type AlertInput,
  type AlertStatus,
  type alertMachine,
  alertMoves,
  dedupInput,
  type NewCase,
  type Severity,
  type Verdict,
} from "../../machines/soc/alert.ts";
import type { Case } from "../../machines/soc/case-record.ts";
import { refuseMove } from "../../machines/soc/moves.ts";
import type { EntityHost } from "../entity.ts";
import { entityHost } from "../entity.ts";
import { alertCollection, alertKind, type CasePort } from "./alert-kind.ts";
import { type Asker, metaOf } from "./asker.ts";
import { type ShownCase, shownCase } from "./case-parts.ts";
import { type Desk, hostOptions, isoNow } from "./desk.ts";
import { newId } from "./ids.ts";
import { type List, type ListQuery, listOf } from "./lists.ts";

export interface NewAlert {
  title: string;
  source: string;
  severity: Severity;
  description?: string | undefined;
  iocs?: string[] | undefined;
  site?: string | null | undefined;
  mitre_techniques?: string[] | undefined;
  assignee?: string | null | undefined;
  rule_id?: string | null | undefined;
}

export interface AlertPatch extends AlertChanges {
  status?: AlertStatus;
  verdict?: Verdict;
}

export interface AlertFilter {
  severity?: string | undefined;
  status?: string | undefined;
  source?: string | undefined;
  site?: string | undefined;
  assignee?: string | undefined;
  case_id?: string | undefined;
}

const listed = {
  collection: alertCollection.name,
  sorts: ["created_at", "updated_at", "last_seen", "occurrences"],
} as const;

/** What a case needs of the alert's side. */
export interface CaseDoor extends CasePort {
  live(id: string): Promise<Case>;
}

export class Alerts {
  readonly #desk: Desk;
  readonly #cases: () => CaseDoor;
  readonly #host: EntityHost<AlertEvent, Alert, AlertInput>;

  constructor(desk: Desk, cases: () => CaseDoor) {
    this.#desk = desk;
    this.#cases = cases;
    const kind = alertKind(cases, () => isoNow(desk));
    this.#host = entityHost<typeof alertMachine, Alert>(desk.store, kind, hostOptions(desk));
  }

  /** One alert per fingerprint: its id is made of it, so that the store itself decides who was first. */
  async create(draft: NewAlert, asker: Asker): Promise<{ alert: Alert; created: boolean }> {
    const { title, source, severity, description = "", iocs = [] } = draft;
    const hash = sha256(dedupInput(title, source, iocs));
    const id = `alert-${hash.slice(0, 32)}`;
    const at = isoNow(this.#desk);
    const { site = null, mitre_techniques = [], assignee = null, rule_id = null } = draft;
    const rest = { description, iocs, hash, site, mitre_techniques, assignee, rule_id };
    const made = await this.#host.createUnique(
      id,
      { id, title, source, severity, ...rest, at },
      metaOf(asker, at),
    );
    if (made) return { alert: made, created: true };
    return { alert: await this.tell(id, { type: "DUPLICATED", by: asker.actor, at }, asker), created: false };
  }

  async get(id: string): Promise<Alert> {
    const alert = await this.#host.get(id);
    if (!alert) throw new DomainError("not_found", `there is no alert ${id}`);
    return alert;
  }

  async list(query: ListQuery, filter: AlertFilter = {}): Promise<List<Alert>> {
    const list = await listOf(this.#desk.store, listed, query, { ...filter });
    return { ...list, items: list.items as unknown as Alert[] };
  }

  async change(id: string, patch: AlertPatch, asker: Asker, at_version?: number): Promise<Alert> {
    const { status, verdict, ...changes } = patch;
    const step = {
      by: asker.actor,
      at: isoNow(this.#desk),
      changes,
      ...(at_version === undefined ? {} : { at_version }),
    };
    if (status === "new") await this.#refuseNew(id);
    return this.tell(id, eventOf(status, verdict, step), asker);
  }

  /** Opens a case for the alert. The alert's own swap decides who promotes it; the case follows from it. */
  async promote(
    id: string,
    wish: { description?: string; assignee?: string },
    asker: Asker,
  ): Promise<ShownCase> {
    const case_id = newId("case", this.#desk.now());
    const at = isoNow(this.#desk);
    const alert = await this.tell(id, { type: "PROMOTE", case_id, by: asker.actor, at, ...wish }, asker);
    const { description = null, assignee = null } = wish;
    const made: NewCase = { case_id, description, assignee, by: asker.actor };
    await this.#cases().openFor(alert, made);
    return shownCase(await this.#cases().live(case_id));
  }

  async link(id: string, case_id: string, asker: Asker): Promise<Alert> {
    await this.get(id);
    const to = await this.#cases().live(case_id);
    if (to.status === "closed") {
      throw new DomainError("conflict", "the case is closed; allowed: open", { field: "case_id" });
    }
    const by = asker.actor;
    await this.tell(id, { type: "LINK", case_id, by, at: isoNow(this.#desk) }, asker);
    // Told again by the effect, in case we do not come to it.
    await this.#cases().linkAlert(case_id, id, by);
    return this.get(id);
  }

  tell(id: string, event: AlertEvent, asker: Asker): Promise<Alert> {
    return this.#host.tell(id, event, metaOf(asker, event.at));
  }

  /** Every alert of a case that is no more goes back to be triaged. */
  async releaseFrom(case_id: string, by: string): Promise<void> {
    for (;;) {
      const where = { case_id };
      const { items } = await this.#desk.store.find(alertCollection.name, {
        where,
        limit: 100,
        fields: ["case_id"],
      });
      if (items.length === 0) return;
      const at = isoNow(this.#desk);
      await Promise.all(
        items.map(({ id }) => this.tell(id, { type: "CASE_LEFT", case_id, by, at }, { actor: by })),
      );
    }
  }

  async #refuseNew(id: string): Promise<void> {
    const { status } = await this.get(id);
    const refusal = refuseMove("alert", alertMoves, status, "new");
    if (refusal) throw DomainError.from(refusal);
  }
}

type MoveStep = { by: string; at: string; changes: AlertChanges; at_version?: number };

function eventOf(status: AlertStatus | undefined, verdict: Verdict | undefined, step: MoveStep): AlertEvent {
  switch (status) {
    case "triaged":
      return { type: "TRIAGE", ...step };
    case "investigating":
      return { type: "INVESTIGATE", ...step };
    case "resolved":
      return { type: "RESOLVE", ...step };
    case "closed":
      if (verdict) return { type: "CLOSE", verdict, ...step };
      throw new DomainError("invalid_input", "verdict: closing needs one", { field: "verdict" });
    case "new":
    case undefined:
      return { type: "EDIT", ...step };
  }
}
