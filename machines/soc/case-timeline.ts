/** What the timeline of a case says about each step. */
import type { CaseEvent } from "./case-record.ts";

/** One line in the past tense; who and when stand beside it. */
export function lineOf(event: CaseEvent): string {
  switch (event.type) {
    case "EDIT":
      return `changed ${fieldsOf(event.changes)}`;
    case "INVESTIGATE":
      return "moved the case to investigating";
    case "CONTAIN":
      return "moved the case to contained";
    case "RESOLVE":
      return "moved the case to resolved";
    case "CLOSE":
      return `closed the case as ${event.resolution}: ${event.summary}`;
    case "REOPEN":
      return "reopened the case";
    case "REQUEST_APPROVAL":
      return `asked for approval ${event.approval_id}`;
    case "WITHDRAW_APPROVAL":
      return "withdrew the request for approval";
    case "APPROVAL_ENDED":
      return `approval ${event.approval_id}: ${event.outcome}${event.reason ? `: ${event.reason}` : ""}`;
    case "ALERT_LINKED":
      return `linked alert ${event.alert_id}`;
    case "ALERT_LOST":
      return `alert ${event.alert_id} is not part of the case: ${event.reason}`;
    case "ADD_OBSERVABLE":
      return `added observable ${event.observable.type} ${event.observable.value}`;
    case "ADD_COMMENT":
      return "commented";
    case "ADD_TASK":
      return `added task ${event.task.title}`;
    case "CHANGE_TASK":
      return `task ${event.task.title}: ${event.task.status}, ${event.task.assignee ?? "unassigned"}`;
    case "ADD_EVIDENCE":
      return `registered evidence ${event.evidence.name}`;
    case "RECORD_CUSTODY":
      return `evidence ${event.name}: ${event.head.entry.action}`;
    case "REPORT":
      return event.action;
    case "DELETE":
      return "deleted the case";
  }
}

function fieldsOf(changes: object | undefined): string {
  const names = Object.keys(changes ?? {});
  return names.length > 0 ? names.join(", ") : "nothing";
}
