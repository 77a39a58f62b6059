/** Alerts and cases, joined: each tells the other what follows from its own steps. */
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { alertCollection, feedbackCollection } from "./alert-kind.ts";
import { Alerts } from "./alerts.ts";
import { auditSpecs } from "./audit.ts";
import { CaseFile } from "./case-file.ts";
import { caseSpecs } from "./case-kind.ts";
import { Cases } from "./cases.ts";
import type { ApprovalPort, Desk } from "./desk.ts";

export interface CaseWork {
  alerts: Alerts;
  cases: Cases;
  file: CaseFile;
}

/** What these parts keep in the store. */
export const caseWorkCollections: readonly CollectionSpec[] = [
  alertCollection,
  feedbackCollection,
  ...caseSpecs,
  ...auditSpecs,
];

export function openCaseWork(desk: Desk, approvals: () => ApprovalPort): CaseWork {
  const alerts: Alerts = new Alerts(desk, () => cases);
  const cases: Cases = new Cases(desk, () => alerts, approvals);
  return { alerts, cases, file: new CaseFile(desk, cases) };
}
