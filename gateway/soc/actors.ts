import type { Alerts } from "../../actors/soc/alerts.ts";
import type { Audit } from "../../actors/soc/audit.ts";
import type { CaseFile } from "../../actors/soc/case-file.ts";
import type { Cases } from "../../actors/soc/cases.ts";

/** Who answers the platform's routes; a section adds its line. */
export interface SocActors {
  alerts: Alerts;
  cases: Cases;
  file: CaseFile;
  audit: Audit;
}
