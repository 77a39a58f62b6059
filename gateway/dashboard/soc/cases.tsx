import { type FormEvent, useCallback, useEffect, useState } from "react";
import { call } from "./api.ts";
import { useLiveList } from "./live-list.ts";
import type { CaseDetail, CaseRecord } from "./records.ts";
import { onEvent } from "./stream.ts";

export function Cases({ onOpen }: { onOpen: (id: string) => void }) {
  const cases = useLiveList<CaseRecord>("/cases?limit=50", "case");
  return (
    <section>
      <h2>Cases</h2>
      {cases.length === 0 && <p className="muted">No cases.</p>}
      <ul>
        {cases.map((record) => (
          <li key={record.id} className={record.severity}>
            <button type="button" className="row" onClick={() => onOpen(record.id)}>
              <strong>{record.title}</strong>
              <span className="muted">
                {record.status} · {record.assignee ?? "nobody"}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One case, whole, as it changes. */
export function CasePanel({ id, onClose }: { id: string; onClose: () => void }) {
  const [detail, setDetail] = useState<CaseDetail | null>(null);
  const load = useCallback(() => void call<CaseDetail>("GET", `/cases/${id}`).then(setDetail), [id]);
  useEffect(load, [load]);
  useEffect(() => onEvent("case", (record) => record.id === id && load()), [id, load]);
  const comment = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (await call("POST", `/cases/${id}/comments`, Object.fromEntries(new FormData(form)))) form.reset();
  };
  if (!detail) return null;
  return (
    <dialog open className="case">
      <button type="button" className="close" aria-label="Close" onClick={onClose}>
        ✕
      </button>
      <h2>{detail.title}</h2>
      <p className="muted">
        {detail.status} · {detail.severity} · {detail.assignee ?? "nobody"}
      </p>
      <p className="text">{detail.description}</p>
      <Part
        title="Timeline"
        rows={detail.timeline.map(
          (t) => `${new Date(t.timestamp).toLocaleString()}  ${t.agent}: ${t.action}`,
        )}
      />
      <Part title="Observables" rows={detail.observables.map((o) => `${o.type}: ${o.value}`)} />
      <Part
        title="Evidence"
        rows={detail.evidence.map((e) => `${e.name} (${e.evidence_type}) ${e.sha256}`)}
      />
      <Part title="Tasks" rows={detail.tasks.map((t) => `${t.status}  ${t.title}`)} />
      <Part title="Comments" rows={detail.comments.map((c) => `${c.author}: ${c.body}`)} />
      <form onSubmit={(event) => void comment(event)}>
        <input name="body" required placeholder="Comment" aria-label="Comment" />
        <button type="submit">Add</button>
      </form>
    </dialog>
  );
}

function Part({ title, rows }: { title: string; rows: string[] }) {
  return (
    <details open={rows.length > 0 && rows.length < 50}>
      <summary>
        {title} ({rows.length})
      </summary>
      <ul>
        {rows.map((row) => (
          <li key={row}>{row}</li>
        ))}
      </ul>
    </details>
  );
}
