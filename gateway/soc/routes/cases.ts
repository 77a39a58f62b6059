/** Cases: opened, listed, worked and deleted. */
import { z } from "zod";
import { caseStatuses, resolutions } from "../../../machines/soc/case-record.ts";
import { ReadyReply } from "../../route.ts";
import { socRoute } from "../policy.ts";
import {
  askerOf,
  changesSomething,
  Id,
  line,
  listQuery,
  listReply,
  prose,
  Severity,
  Username,
  versionOf,
} from "../schemas.ts";
import { CaseDetail, CaseRecord } from "./case-schemas.ts";

const tag = "Cases";
const params = z.strictObject({ case_id: Id });
const read = { permission: "cases:read", rate: "general", effect: "read" } as const;
const write = { permission: "cases:write", rate: "general", effect: "mutation" } as const;

const NewCase = z.strictObject({
  title: line(500),
  severity: Severity,
  description: prose(65_536).optional(),
  assignee: Username.nullable().optional(),
  alert_ids: z.array(Id).max(1000).optional(),
});

const CasePatch = z
  .strictObject({
    title: line(500).optional(),
    severity: Severity.optional(),
    status: z.enum(caseStatuses).optional(),
    description: prose(65_536).optional(),
    assignee: Username.nullable().optional(),
    requires_human_approval: z.boolean().optional(),
    resolution: z.enum(resolutions).optional(),
    summary: prose(65_536, 1).optional(),
  })
  .refine(...changesSomething)
  .superRefine((body, context) => {
    const closes = body.status === "closed";
    for (const field of ["resolution", "summary"] as const) {
      if (closes === (body[field] !== undefined)) continue;
      const message = closes ? "closing needs one" : "belongs to closing: send status closed with it";
      context.addIssue({ code: "custom", path: [field], message });
    }
    if (body.requires_human_approval !== undefined && body.status !== undefined) {
      if (body.requires_human_approval && body.status === "pending_approval") return;
      const message = "is a move of its own: send it without a status";
      context.addIssue({ code: "custom", path: ["requires_human_approval"], message });
    }
  });

export const caseRoutes = [
  socRoute({
    method: "get",
    path: "/cases",
    summary: "The cases, newest first",
    tag,
    policy: read,
    query: z.strictObject({
      ...listQuery,
      status: z.enum(caseStatuses).optional(),
      severity: Severity.optional(),
      assignee: z.string().max(64).optional(),
    }),
    reply: listReply(CaseRecord),
    handle: ({ query: { skip, limit, cursor, sort, ...filter }, actors }) =>
      actors.cases.list({ skip, limit, cursor, sort }, filter),
  }),
  socRoute({
    method: "post",
    path: "/cases",
    summary: "Open a case",
    tag,
    policy: write,
    body: NewCase,
    reply: CaseRecord,
    status: 201,
    handle: ({ body, actors, ...request }) => actors.cases.create(body, askerOf(request)),
  }),
  socRoute({
    method: "get",
    path: "/cases/:case_id",
    summary: "One case with its timeline, observables, evidence, comments and tasks",
    tag,
    policy: read,
    params,
    reply: CaseDetail,
    handle: ({ params, actors }) =>
      actors.cases.text(params.case_id).then((text) => new ReadyReply<z.input<typeof CaseDetail>>(text)),
  }),
  socRoute({
    method: "patch",
    path: "/cases/:case_id",
    summary: "Move a case, edit it, ask for approval; If-Match takes the version",
    tag,
    policy: write,
    params,
    body: CasePatch,
    reply: CaseRecord,
    handle: (input) =>
      input.actors.cases.change(input.params.case_id, input.body, askerOf(input), versionOf(input)),
  }),
  socRoute({
    method: "delete",
    path: "/cases/:case_id",
    summary: "Delete a case; its alerts go back to be triaged, its ledger stays",
    tag,
    policy: { ...write, permission: "cases:delete" },
    params,
    reply: z.strictObject({ id: Id, deleted: z.literal(true) }),
    handle: ({ params: { case_id: id }, actors, ...request }) =>
      actors.cases.delete(id, askerOf(request)).then(() => ({ id, deleted: true as const })),
  }),
];
