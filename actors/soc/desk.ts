/** What alerts and cases are given, and the ports through which they reach each other and approvals. */
import type { Keys } from "../../drivers/keys/keys.ts";
import type { Store } from "../../drivers/store/store.ts";
import type { ApprovalInput } from "../../machines/soc/approval.ts";
import type { Effects } from "../effects.ts";
import type { EntityStep } from "../entity-step.ts";
import type { Timers } from "../timers.ts";
import type { Audit } from "./audit.ts";

export interface Desk {
  store: Store;
  effects: Effects;
  timers: Timers;
  audit: Audit;
  keys: Keys;
  now: () => number;
  onStep?(step: EntityStep): void;
}

/** What a case asks of approvals. Both are told again after a crash, and must not mind. */
export interface ApprovalPort {
  /** The id is the case's own choice; one that exists is left as it is. */
  request(input: ApprovalInput): Promise<unknown>;
  /** `review`: only the one that holds the case itself. */
  cancelForCase(case_id: string, by: string, scope: "review" | "all"): Promise<void>;
}

/** What every host of the platform is opened with. */
export function hostOptions({ effects, timers, audit, now, onStep }: Desk) {
  return { effects, timers, audit: audit.ofStep, now, ...(onStep ? { onStep } : {}) };
}

export function isoNow({ now }: Pick<Desk, "now">): string {
  return new Date(now()).toISOString();
}
