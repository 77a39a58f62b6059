/** Playbooks and their runs, under both of their addresses. */
import { z } from "zod";
import { executionStatuses } from "../../../machines/soc/execution-record.ts";
import { socRoute } from "../policy.ts";
import { askerOf, Id, listQuery, listReply, prose, versionOf } from "../schemas.ts";
import {
  ExecuteBody,
  ExecutionRecord,
  InputBody,
  NewPlaybook,
  PlaybookPatch,
  PlaybookRecord,
  RuleRecord,
  StartedReply,
} from "./soar-schemas.ts";

const tag = "SOAR";
const params = z.strictObject({ playbook_id: Id });
const run = z.strictObject({ execution_id: Id });
const read = { permission: "soar:read", rate: "general", effect: "read" } as const;
const manage = { permission: "soar:manage", rate: "general", effect: "mutation" } as const;
const steer = { permission: "soar:execute", rate: "general", effect: "mutation" } as const;
const flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** The document has both families over the same objects, each with its own permissions. */
const families = [
  {
    playbooks: "/soar/playbooks",
    executions: "/soar/executions",
    reads: "soar:read",
    executes: "soar:execute",
  },
  {
    playbooks: "/playbooks",
    executions: "/playbooks/executions",
    reads: "playbooks:read",
    executes: "playbooks:execute",
  },
] as const;

const shared = families.flatMap(({ playbooks, executions, reads, executes }) => [
  socRoute({
    method: "get",
    path: playbooks,
    summary: "The playbooks",
    tag,
    policy: { ...read, permission: reads },
    query: z.strictObject({ ...listQuery, enabled: flag.optional(), critical: flag.optional() }),
    reply: listReply(PlaybookRecord),
    handle: ({ query: { enabled, critical, ...page }, actors }) =>
      actors.playbooks.list(page, { enabled, critical }),
  }),
  socRoute({
    method: "get",
    path: executions,
    summary: "The runs of playbooks, newest first",
    tag,
    policy: { ...read, permission: reads },
    query: z.strictObject({
      ...listQuery,
      status: z.enum(executionStatuses).optional(),
      playbook_id: Id.optional(),
      case_id: Id.optional(),
    }),
    reply: listReply(ExecutionRecord),
    handle: ({ query: { status, playbook_id, case_id, ...page }, actors }) =>
      actors.executions.list(page, { status, playbook_id, case_id }),
  }),
  socRoute({
    method: "post",
    path: `${playbooks}/:playbook_id/execute`,
    summary: "Run a playbook; a critical one waits for its approval, and runs when asked again with it",
    tag,
    policy: { permission: executes, rate: "execute", effect: "external" },
    params,
    query: z.strictObject({ approval_id: Id.optional() }),
    body: ExecuteBody,
    reply: StartedReply,
    handle: ({ params, query, body, actors, ...request }) =>
      actors.executions.execute(params.playbook_id, body, askerOf(request), query.approval_id),
  }),
]);

export const soarRoutes = [
  ...shared,
  socRoute({
    method: "get",
    path: "/soar/playbooks/:playbook_id",
    summary: "One playbook",
    tag,
    policy: read,
    params,
    reply: PlaybookRecord,
    handle: ({ params, actors }) => actors.playbooks.get(params.playbook_id),
  }),
  socRoute({
    method: "post",
    path: "/soar/playbooks",
    summary: "Write a playbook",
    tag,
    policy: manage,
    body: NewPlaybook,
    reply: PlaybookRecord,
    status: 201,
    handle: ({ body, actors, ...request }) => actors.playbooks.create(body, askerOf(request)),
  }),
  socRoute({
    method: "patch",
    path: "/soar/playbooks/:playbook_id",
    summary: "Change a playbook; If-Match takes the version",
    tag,
    policy: manage,
    params,
    body: PlaybookPatch,
    reply: PlaybookRecord,
    handle: (input) =>
      input.actors.playbooks.change(input.params.playbook_id, input.body, askerOf(input), versionOf(input)),
  }),
  socRoute({
    method: "delete",
    path: "/soar/playbooks/:playbook_id",
    summary: "Delete a playbook; its runs stay, and those under way go on",
    tag,
    policy: manage,
    params,
    reply: z.strictObject({ id: Id, deleted: z.literal(true) }),
    handle: ({ params: { playbook_id: id }, actors, ...request }) =>
      actors.playbooks.remove(id, askerOf(request)).then(() => ({ id, deleted: true as const })),
  }),
  socRoute({
    method: "post",
    path: "/soar/playbooks/:playbook_id/toggle",
    summary: "Switch a playbook on or off",
    tag,
    policy: manage,
    params,
    reply: PlaybookRecord,
    handle: ({ params, actors, ...request }) => actors.playbooks.toggle(params.playbook_id, askerOf(request)),
  }),
  socRoute({
    method: "get",
    path: "/soar/executions/:execution_id",
    summary: "One run, with every step's state, times and receipt",
    tag,
    policy: read,
    params: run,
    reply: ExecutionRecord,
    handle: ({ params, actors }) => actors.executions.get(params.execution_id),
  }),
  socRoute({
    method: "post",
    path: "/soar/executions/:execution_id/cancel",
    summary: "Cancel a run that has not ended",
    tag,
    policy: steer,
    params: run,
    body: z.strictObject({ reason: prose(2000).nullable().optional() }),
    reply: ExecutionRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.executions.cancel(params.execution_id, body.reason ?? null, askerOf(request)),
  }),
  socRoute({
    method: "post",
    path: "/soar/executions/:execution_id/input",
    summary: "Answer the question that a run waits with",
    tag,
    policy: steer,
    params: run,
    body: InputBody,
    reply: ExecutionRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.executions.input(params.execution_id, body, askerOf(request)),
  }),
  socRoute({
    method: "get",
    path: "/soar/rules",
    summary: "The automation rules of the showcase; none outside dummy mode",
    tag,
    policy: read,
    query: z.strictObject(listQuery),
    reply: listReply(RuleRecord),
    handle: ({ query, actors }) => actors.soarRules.list(query),
  }),
  socRoute({
    method: "post",
    path: "/soar/rules/:rule_id/toggle",
    summary: "Switch a rule of the showcase, in memory; 503 outside dummy mode",
    tag,
    // Nothing that is kept changes, in whatever mode: the answer is the rule, or that there is none.
    policy: { ...read, permission: "soar:manage" },
    params: z.strictObject({ rule_id: Id }),
    reply: RuleRecord,
    handle: ({ params, actors }) => actors.soarRules.toggle(params.rule_id),
  }),
];
