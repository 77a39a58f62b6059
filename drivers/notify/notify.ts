/** Tells people outside the platform that something waits for them. */
import type { Outcome } from "../http-adapter/outcome.ts";

export interface Notification {
  type: "approval_pending" | "playbook";
  text: string;
  at: string;
  /** What it is about, as the API shows it. */
  [field: string]: unknown;
}

export interface Notifier {
  /** The key is the same for every repetition of one notification. */
  send(
    note: Notification,
    key: string,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<Outcome>;
}
