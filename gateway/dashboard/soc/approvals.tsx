import { useState } from "react";
import { call } from "./api.ts";
import { useLiveList } from "./live-list.ts";
import type { Approval } from "./records.ts";

/** What waits for a person's yes or no. */
export function Approvals() {
  const approvals = useLiveList<Approval>("/approvals?status=pending", "approval").filter(
    ({ status }) => status === "pending",
  );
  return (
    <section>
      <h2>Approvals</h2>
      {approvals.length === 0 && <p className="muted">Nothing waits for a decision.</p>}
      <ul>
        {approvals.map((approval) => (
          <Decision key={approval.id} approval={approval} />
        ))}
      </ul>
    </section>
  );
}

function Decision({ approval }: { approval: Approval }) {
  const [reason, setReason] = useState("");
  const decide = (approved: boolean) =>
    void call("POST", `/approvals/${approval.id}/decide`, { approved, reason });
  return (
    <li className="decision">
      <strong>{approval.action}</strong>
      <p className="muted">
        asked by {approval.requested_by}, until {new Date(approval.expires_at).toLocaleTimeString()}
      </p>
      <input
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        placeholder="Reason"
        aria-label="Reason"
      />
      <span className="actions">
        <button type="button" onClick={() => decide(true)}>
          Approve
        </button>
        <button type="button" onClick={() => decide(false)}>
          Reject
        </button>
      </span>
    </li>
  );
}
