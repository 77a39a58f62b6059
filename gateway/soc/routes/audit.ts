/** The audit stream, read. */
import { z } from "zod";
import { socRoute } from "../policy.ts";
import { listQuery, listReply, Timestamp } from "../schemas.ts";

const AuditRecord = z
  .strictObject({
    id: z.string(),
    chain: z.string(),
    n: z.int(),
    at: Timestamp,
    actor: z.string(),
    action: z.string(),
    object: z.string(),
    result: z.enum(["ok", "refused", "failed", "preview"]),
    request_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
    link: z.strictObject({ seq: z.int(), prev_hash: z.string(), hash: z.string() }).nullable(),
  })
  .meta({ id: "AuditEntry" });

export const auditRoutes = [
  socRoute({
    method: "get",
    path: "/audit",
    summary: "Who did what, newest first; each entry with its place in the chain",
    tag: "Audit",
    policy: { permission: "audit:read", rate: "general", effect: "read" },
    query: z.strictObject({
      ...listQuery,
      actor: z.string().max(64).optional(),
      action: z.string().max(200).optional(),
      object: z.string().max(200).optional(),
      result: z.enum(["ok", "refused", "failed", "preview"]).optional(),
      request_id: z.string().max(128).optional(),
      from: Timestamp.optional(),
      to: Timestamp.optional(),
    }),
    reply: listReply(AuditRecord),
    handle: ({ query: { skip, limit, cursor, sort, ...filter }, actors }) =>
      actors.audit.list({ skip, limit, cursor, sort }, filter),
  }),
];
