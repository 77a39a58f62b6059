/** What people are told outside the platform. */
import type { Notification } from "../../drivers/notify/notify.ts";
import type { Approval } from "../../machines/soc/approval.ts";
import type { Execution } from "../../machines/soc/execution-record.ts";

export function announcement(approval: Approval, at: string): Notification {
  const { id, action, justification, requested_by, requested_at, expires_at } = approval;
  const { playbook_id, execution_id, case_id } = approval;
  const text = `${requested_by} asks for approval until ${expires_at}: ${action}`;
  const what = { id, action, justification, requested_by, requested_at, expires_at };
  return {
    type: "approval_pending",
    text,
    at,
    approval: { ...what, playbook_id, execution_id, case_id },
  };
}

export function playbookNote(run: Execution, text: string, at: string): Notification {
  const { id: execution_id, playbook_id, playbook_name, case_id, alert_id } = run;
  return { type: "playbook", text, at, execution_id, playbook_id, playbook_name, case_id, alert_id };
}
