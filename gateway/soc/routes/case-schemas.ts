/** A case and what it holds, as the API shows them. */
import { z } from "zod";
import { caseStatuses, resolutions, taskStatuses } from "../../../machines/soc/case-record.ts";
import { Id, Severity, Timestamp } from "../schemas.ts";

const caseFields = {
  id: Id,
  title: z.string(),
  description: z.string(),
  severity: Severity,
  status: z.enum(caseStatuses),
  assignee: z.string().nullable(),
  alert_ids: z.array(z.string()),
  promoted_from: z.string().nullable(),
  requires_human_approval: z.boolean(),
  approval_id: z.string().nullable(),
  came_from: z.string().nullable(),
  resolution: z.enum(resolutions).nullable(),
  summary: z.string().nullable(),
  created_by: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Timestamp.nullable(),
  version: z.int(),
};
export const CaseRecord = z.strictObject(caseFields).meta({ id: "Case" });

export const TimelineLine = z
  .strictObject({ id: z.string(), agent: z.string(), action: z.string(), timestamp: Timestamp })
  .meta({ id: "TimelineLine" });

export const ObservableRecord = z
  .strictObject({
    id: Id,
    type: z.string(),
    value: z.string(),
    source: z.string().nullable(),
    tags: z.array(z.string()),
    context: z.record(z.string(), z.unknown()),
    created_by: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: "Observable" });

export const CommentRecord = z
  .strictObject({ id: Id, author: z.string(), body: z.string(), created_at: Timestamp })
  .meta({ id: "Comment" });

export const TaskRecord = z
  .strictObject({
    id: Id,
    title: z.string(),
    status: z.enum(taskStatuses),
    assignee: z.string().nullable(),
    created_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Task" });

export const CustodyEntry = z
  .strictObject({
    seq: z.int(),
    evidence_id: Id,
    action: z.string(),
    actor: z.string(),
    purpose: z.string().nullable(),
    location: z.string().nullable(),
    at: Timestamp,
    content_sha256: z.string(),
    prev_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: "CustodyEntry" });

const evidenceFields = {
  id: Id,
  name: z.string(),
  evidence_type: z.string(),
  storage_url: z.string().nullable(),
  sha256: z.string(),
  location: z.string().nullable(),
  registered_by: z.string(),
  registered_at: Timestamp,
};
export const EvidenceRecord = z
  .strictObject({ ...evidenceFields, custody_entries: z.array(CustodyEntry) })
  .meta({ id: "Evidence" });

export const CaseDetail = z
  .strictObject({
    ...caseFields,
    timeline: z.array(TimelineLine),
    observables: z.array(ObservableRecord),
    evidence: z.array(EvidenceRecord),
    comments: z.array(CommentRecord),
    tasks: z.array(TaskRecord),
  })
  .meta({ id: "CaseDetail" });

export const VerificationReply = z
  .strictObject({
    valid: z.boolean(),
    entries: z.int(),
    head: z.string().nullable(),
    first_bad_seq: z.int().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "Verification" });

export const EvidenceBundle = z
  .strictObject({
    format: z.literal("minaret-evidence/1"),
    exported_at: Timestamp,
    case_id: Id,
    evidence: z.strictObject(evidenceFields),
    custody_entries: z.array(CustodyEntry),
    head: z.strictObject({ seq: z.int(), hash: z.string(), signature: z.string() }).nullable(),
    public_key: z.string(),
  })
  .meta({ id: "EvidenceBundle" });
