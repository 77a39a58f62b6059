import { useSyncExternalStore } from "react";

interface Notice {
  id: number;
  text: string;
  kind: "error" | "done";
}

let notices: Notice[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

/** Shows a sentence for a few seconds, in the words of the API. */
export function notify(text: string, kind: Notice["kind"] = "error"): void {
  const notice = { id: nextId++, text, kind };
  change([...notices, notice]);
  setTimeout(() => change(notices.filter(({ id }) => id !== notice.id)), kind === "error" ? 8_000 : 3_000);
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text, kind }) => (
        <p key={id} className={kind}>
          {text}
        </p>
      ))}
    </div>
  );
}
