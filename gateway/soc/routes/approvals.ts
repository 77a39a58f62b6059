/** Approvals: what waits for a decision, and the decision. */
import { z } from "zod";
import { approvalStatuses } from "../../../machines/soc/approval.ts";
import { socRoute } from "../policy.ts";
import { askerOf, Id, listQuery, listReply, prose, Timestamp } from "../schemas.ts";

const tag = "Approvals";
const params = z.strictObject({ approval_id: Id });
/** A key of a service decides on nothing, and sees nothing of what people decide. */
const people = { permission: "approvals:manage", rate: "general", keys: false } as const;

const ApprovalRecord = z
  .strictObject({
    id: Id,
    action: z.string(),
    justification: z.string().nullable(),
    requested_by: z.string(),
    owner: z.string().nullable(),
    playbook_id: z.string().nullable(),
    execution_id: z.string().nullable(),
    case_id: z.string().nullable(),
    holds_case: z.boolean(),
    parameters: z.record(z.string(), z.unknown()),
    requested_at: Timestamp,
    expires_at: Timestamp,
    status: z.enum(approvalStatuses),
    decided_by: z.string().nullable(),
    decided_at: Timestamp.nullable(),
    reason: z.string().nullable(),
    used_at: Timestamp.nullable(),
    version: z.int(),
  })
  .meta({ id: "Approval" });

export const approvalRoutes = [
  socRoute({
    method: "get",
    path: "/approvals",
    summary: "The approvals that wait for a decision, or those of another status",
    tag,
    policy: { ...people, effect: "read" },
    query: z.strictObject({ ...listQuery, status: z.enum([...approvalStatuses, "all"]).optional() }),
    reply: listReply(ApprovalRecord),
    handle: ({ query: { status, ...page }, actors }) => actors.approvals.list(page, status),
  }),
  socRoute({
    method: "get",
    path: "/approvals/:approval_id",
    summary: "One approval",
    tag,
    policy: { ...people, effect: "read" },
    params,
    reply: ApprovalRecord,
    handle: ({ params, actors }) => actors.approvals.get(params.approval_id),
  }),
  socRoute({
    method: "post",
    path: "/approvals/:approval_id/decide",
    summary: "Approve or reject, once; nobody decides on their own request",
    tag,
    policy: { ...people, effect: "mutation" },
    params,
    body: z.strictObject({ approved: z.boolean(), reason: prose(2000).nullable().optional() }),
    reply: ApprovalRecord,
    handle: ({ params, body, actors, ...request }) =>
      actors.approvals.decide(params.approval_id, body, askerOf(request)),
  }),
];
