import { call } from "./api.ts";
import { useLiveList } from "./live-list.ts";
import type { Alert, CaseRecord } from "./records.ts";

/** The queue: what came in, newest first, and what to do with it. */
export function Alerts({ onOpenCase }: { onOpenCase: (id: string) => void }) {
  const alerts = useLiveList<Alert>("/alerts?limit=100", "alert");
  const promote = async (alert: Alert) => {
    const made = await call<CaseRecord>("POST", `/alerts/${alert.id}/promote`, {});
    if (made) onOpenCase(made.id);
  };
  return (
    <section className="alerts">
      <h2>Alerts</h2>
      {alerts.length === 0 && <p className="muted">No alerts.</p>}
      <ul>
        {alerts.map((alert) => (
          <li key={alert.id} className={alert.severity}>
            <span className="severity">{alert.severity}</span>
            <div>
              <strong>{alert.title}</strong>
              <p className="muted">
                {alert.source} · {alert.status}
                {alert.occurrences > 1 && ` · ${alert.occurrences} times`} ·{" "}
                {new Date(alert.last_seen).toLocaleTimeString()}
              </p>
            </div>
            {alert.case_id ? (
              <button type="button" onClick={() => onOpenCase(alert.case_id ?? "")}>
                Case
              </button>
            ) : (
              <span className="actions">
                {alert.status === "new" && (
                  <button
                    type="button"
                    onClick={() => void call("PATCH", `/alerts/${alert.id}`, { status: "triaged" })}
                  >
                    Triage
                  </button>
                )}
                <button type="button" onClick={() => void promote(alert)}>
                  Promote
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
