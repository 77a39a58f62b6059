/** Approvals, playbooks, their runs and endpoints, joined with each other and with the cases. */
import type { Edr } from "../../drivers/edr/edr.ts";
import type { CallGuarded } from "../../drivers/http-adapter/guarded-call.ts";
import type { Notifier } from "../../drivers/notify/notify.ts";
import type { CollectionSpec } from "../../drivers/store/store.ts";
import { DomainError } from "../../machines/errors.ts";
import type { Mode } from "../../machines/soc/modes.ts";
import { simulatesExternal } from "../../machines/soc/modes.ts";
import { Approvals, approvalCollection } from "./approvals.ts";
import type { CaseWork } from "./case-work.ts";
import type { Desk } from "./desk.ts";
import { Endpoints, endpointCollection } from "./edr.ts";
import { iocCollection } from "./execution-iocs.ts";
import { executionCollection } from "./execution-kind.ts";
import { Executions } from "./executions.ts";
import { Playbooks, playbookCollections } from "./playbooks.ts";

export interface ResponseWork {
  approvals: Approvals;
  playbooks: Playbooks;
  executions: Executions;
  endpoints: Endpoints;
}

/** The parts of the world beside the platform. */
export interface Outside {
  edr: Edr | null;
  notifier: Notifier | null;
  callGuarded: CallGuarded;
}

/** Records with deadlines; `entityCollections` adds their index. */
const withDeadlines = [approvalCollection, executionCollection, endpointCollection].map((collection) => ({
  ...collection,
  indexes: [...collection.indexes, { fields: ["due"] }],
}));

/** What these parts keep in the store. */
export const responseCollections: readonly CollectionSpec[] = [
  ...withDeadlines,
  ...playbookCollections,
  iocCollection,
];

export function openResponseWork(
  desk: Desk,
  work: Pick<CaseWork, "alerts" | "cases">,
  { mode, edr, notifier, callGuarded }: Outside & { mode: Mode },
): ResponseWork {
  const cases = () => work.cases;
  const playbooks = new Playbooks(desk);
  const approvals: Approvals = new Approvals(desk, {
    cases: () => ({
      find: (id) => work.cases.live(id).catch(nullWhenGone),
      tell: (id, event, asker) => work.cases.tell(id, event, asker),
    }),
    executions: () => executions,
    notifier,
  });
  const executions: Executions = new Executions(desk, {
    ...{ desk, cases, playbooks, notifier, callGuarded },
    alerts: () => work.alerts,
    approvals: () => approvals,
    endpoints: () => endpoints,
    simulates: () => simulatesExternal(mode),
  });
  const endpoints: Endpoints = new Endpoints(desk, { edr, report: (said) => executions.report(said) });
  return { approvals, playbooks, executions, endpoints };
}

function nullWhenGone(error: unknown): null {
  if (error instanceof DomainError && error.code === "not_found") return null;
  throw error;
}
